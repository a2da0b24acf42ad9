import type { ProgressStream } from '../command-line/progress';
import { FollowedFlight } from './followed-flight';
import { Narrator } from './narrator';
import { demoPartner } from './partner';
import { runningStack } from './running-stack';

/** How many times faster than a real drone's the flight is, which takes 71 seconds (docs/platform.md). */
const FAST = 5;

/** Options of the demo. */
interface DemoOptions {
  /** Whether the drone flies at its own pace. */
  readonly realTime: boolean;
  readonly output: ProgressStream;
}

/** Runs the demo against the stack on this machine, and prints each step. @throws Error when a step fails */
export async function runDemo({ realTime, output }: DemoOptions): Promise<void> {
  const narrator = new Narrator(output);
  const stack = runningStack();
  const { client, clientId } = demoPartner(stack);
  await client.accessToken();
  narrator.say('token', 'signed in with OAuth client credentials and an API key');
  const groups = await client.deviceGroups.list();
  narrator.say('fleet', groups.map(({ name, devices }) => `${name} with ${devices.length} drones`).join(', '));
  const device = groups[0]?.devices[0];
  if (!device) throw new Error('the demo partner has no device: stop the stack and remove .local to start afresh');
  const { deviceId, name } = device;
  const deviceGroupId = groups[0]?.deviceGroupId ?? '';

  const metadata = { simulateSpeed: realTime ? 1 : FAST };
  const { jobId, status } = await client.jobs.create({ name: 'Demo flight', deviceGroupId, deviceId, metadata });
  narrator.say('job', `${jobId} for ${name} is ${status}`);
  const flight = new FollowedFlight(narrator);
  try {
    await flight.begin({ stack, client, clientId, jobId, deviceId });
    await narrator.waitUntil('for the first messages', () => flight.hasBegun);
    const { shareCode, shareUrl } = await client.shares.create({ resourceId: deviceId, shareType: 'STREAM' });
    narrator.say('share', shareUrl);
    const scheduledAt = new Date(Date.now() + 3_600_000).toISOString();
    const later = await client.jobs.create({ name: 'Later', deviceGroupId, scheduledAt });
    narrator.say('cancel', `a job for later is ${(await client.jobs.cancel(later.jobId)).status}`);
    await narrator.waitUntil('for the drone to take off', () => flight.isIn('IN_PROGRESS'));
    await narrator.waitUntil(
      'for the drone to land',
      () => flight.isIn('COMPLETED'),
      () => flight.position,
    );
    if (flight.samples === 0) throw new Error('no telemetry was received: see .local/functions.log');
    narrator.say('telemetry', `${flight.samples} samples with position, speed and battery`);
    await client.shares.revoke(shareCode);
    narrator.say('revoke', 'the link has ended');
  } finally {
    await flight.end();
  }
  output.write(`\nThe demo passed: ${flight.states.join(' → ')}\n`);
}
