import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { partnersShape } from '../../../bin/start/stack-facts';
import { Client } from '../../api/client';
import { fleetOf, givenJob } from '../../api/given';
import { killableStack, type KillableStack } from '../../faults/killable-stack';
import { follow, type Socket } from '../socket';
import { ask, openTelemetry, publish, sampleOf, subscribeTo } from '../telemetry-socket';

const LIFETIME_S = 14;
/** How long before its end a token is replaced: less than half of its life, so that the one before has ended by then. */
const RENEWED_BEFORE_MS = 6000;
let stack: KillableStack;
beforeAll(async () => {
  stack = await killableStack(['--token-lifetime', String(LIFETIME_S)]);
  await stack.start();
  process.env['STACK_FILE'] = stack.stackFile;
});
afterAll(() => stack.remove());

/** The demo partner with a token that has just begun. */
function freshClient(): Client {
  const [credentials] = partnersShape.parse(JSON.parse(readFileSync(stack.stackFile, 'utf8'))).partners;
  if (!credentials) throw new Error('the stack has a demo partner');
  return new Client(credentials);
}

/** Gives the sockets a new token. @returns when the token ends, Unix ms */
async function renew(...sockets: Socket[]): Promise<number> {
  const token = await freshClient().newToken();
  const ends = await Promise.all(sockets.map((socket) => ask(socket, { action: 'authenticate', token })));
  expect(ends.map(({ type }) => type)).toEqual(sockets.map(() => 'authenticated'));
  return Date.parse(String(ends[0]?.['expiresAt']));
}

test('sockets outlive three of their tokens, and are closed with the last one', async () => {
  const { jobId } = await givenJob(freshClient());
  const { deviceId } = fleetOf(freshClient());
  const opening = freshClient();
  const [following, telemetry] = [await follow(opening, { kind: 'job', id: jobId }), await openTelemetry(opening)];
  await subscribeTo(telemetry, { deviceId });
  let end = 0;
  for (const status of ['QUEUED', 'IN_PROGRESS', 'COMPLETED'] as const) {
    const before = end;
    end = await renew(following, telemetry);
    // The token before has ended, this one has not.
    await pause(Math.max(0, before + 100 - Date.now()));
    const sample = sampleOf(deviceId);
    await publish(telemetry, sample);
    await telemetry.like({ timestamp: sample.timestamp });
    await freshClient().call('PATCH /v3/jobs/{jobId}', { path: { jobId }, body: { status } });
    await following.like({ jobState: status });
    await pause(Math.max(0, end - RENEWED_BEFORE_MS - Date.now()));
  }
  await pause(Math.max(0, end + 100 - Date.now()));
  await freshClient().call('DELETE /v3/jobs/{jobId}', { path: { jobId } });
  await publish(await openTelemetry(freshClient()), sampleOf(deviceId));
  const closed = await Promise.all([following, telemetry].map(({ closed: isClosed }) => isClosed));
  expect(closed).toMatchObject([{ code: 1000 }, { code: 1000 }]);
  expect(following.messages.filter(({ deleted }) => deleted === true)).toEqual([]);
});
