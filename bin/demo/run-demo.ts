import { setTimeout as pause } from 'node:timers/promises';
import { followDevice, followJob, subscribeToJob } from './channels';
import { demoPartner } from './partner';
import { runningStack } from './running-stack';

/** A flight takes about 75 seconds. */
const FLIGHT_TIMEOUT_MS = 180_000;

async function waitUntil(what: string, condition: () => boolean, failures: readonly unknown[]): Promise<void> {
  const deadline = Date.now() + FLIGHT_TIMEOUT_MS;
  while (!condition()) {
    if (failures.length > 0) throw failures[0];
    if (Date.now() > deadline) throw new Error(`${what} timed out`);
    await pause(50);
  }
}

/** Runs a demo scenario against the local stack and prints each step. @throws Error when a step fails */
export async function runDemo(): Promise<void> {
  const startedAt = Date.now();
  const print = (what: string) => console.log(`${((Date.now() - startedAt) / 1000).toFixed(1).padStart(6)} s  ${what}`);
  const stack = runningStack();
  const { client, clientId, deviceGroups } = demoPartner(stack);
  await client.accessToken();
  print('token: signed in');
  const resources = await client.deviceGroups.list();
  print(`resources: ${resources.map(({ name, devices }) => `${name} with ${devices.length} devices`).join(', ')}`);
  const deviceGroupId = deviceGroups[0]?.deviceGroupId ?? '';
  const deviceId = resources[0]?.devices[0]?.deviceId ?? '';

  const { jobId, status } = await client.jobs.create({ name: 'Demo flight', deviceGroupId, deviceId });
  print(`job: ${jobId} is ${status}`);
  const states = { MQTTS: new Set<string>(), WSS: new Set<string>() };
  const onState = (over: keyof typeof states) => (jobState: string) => {
    if (states[over].has(jobState)) return;
    states[over].add(jobState);
    print(`${over}: the job is ${jobState}`);
  };
  let samples = 0;
  const onSample = () => {
    if (++samples % 10 === 1) print(`telemetry: ${samples} ${samples === 1 ? 'sample' : 'samples'}`);
  };
  const stop = new AbortController();
  const failures: unknown[] = [];
  // A channel that fails ends the demo when it next waits; the end of the demo is no failure.
  const inBackground = (following: Promise<void>) =>
    following.catch((error: unknown) => (stop.signal.aborted ? undefined : failures.push(error)));
  const disconnect = await subscribeToJob(stack, client, clientId, jobId, onState('MQTTS'));
  void inBackground(followJob(client, jobId, stop.signal, onState('WSS')));
  void inBackground(followDevice(client, deviceId, stop.signal, onSample));
  try {
    await waitUntil('The first message', () => states.WSS.size > 0, failures);
    const { shareCode, shareUrl } = await client.shares.create({ resourceId: deviceId, shareType: 'DEVICE_STATUS' });
    print(`share: ${shareUrl}`);
    const scheduledAt = new Date(Date.now() + 3_600_000).toISOString();
    const second = await client.jobs.create({ name: 'Second', deviceGroupId, scheduledAt });
    const cancelled = await client.jobs.cancel(second.jobId);
    print(`cancel: the second job is ${cancelled.status}`);
    const hasEnded = () => Object.values(states).every((seen) => seen.has('COMPLETED'));
    await waitUntil('The end of the job', hasEnded, failures);
    if (samples === 0) throw new Error('no telemetry was received');
    await client.shares.revoke(shareCode);
    print('revoke: the share has ended');
  } finally {
    stop.abort();
    await disconnect();
  }
  print(`timeline: ${[...states.MQTTS].join(' → ')}, ${samples} samples of telemetry`);
}
