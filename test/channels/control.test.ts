import { setTimeout as pause } from 'node:timers/promises';
import { clients } from '../api/client';
import { fleetOf, givenShare } from '../api/given';
import { say } from './platform';
import { ask, watch } from './telemetry-socket';
import { quiet } from './until';

const [partner] = clients('control');
const { deviceId } = fleetOf(partner);
const steering = { permissions: ['view', 'control'] };
const command = { action: 'control', command: { name: 'HOVER' } };

const WINDOW_MS = 60_000;
/** Waits for the next minute when this one may end while commands are counted. */
async function earlyInTheMinute(): Promise<void> {
  const left = WINDOW_MS - (Date.now() % WINDOW_MS);
  if (left < 15_000) await pause(left);
}

test('A command is accepted under a name, and under that name its viewers hear what became of it.', async () => {
  const { shareCode } = await givenShare(partner, steering);
  const other = await watch((await givenShare(partner, steering)).shareCode);
  const [viewer, colleague] = [await watch(shareCode), await watch(shareCode)];
  const { requestId, ...answer } = await ask(viewer, command);
  expect(answer).toEqual({ type: 'accepted' });
  const at = '2026-11-27T10:31:08.000Z';
  const outcome = { requestId, deviceId, outcome: 'REFUSED', reason: 'DEVICE_BUSY' };
  await say('control.outcome.reported', { ...outcome, at }, new Date());
  for (const socket of [viewer, colleague])
    expect(await socket.like({ type: 'control.outcome' })).toEqual({
      type: 'control.outcome',
      ...outcome,
      timestamp: at,
    });
  await say('control.outcome.reported', { ...outcome, outcome: 'DONE', at }, new Date());
  await quiet();
  expect(viewer.messages.filter(({ type }) => type === 'control.outcome')).toHaveLength(1);
  expect(other.messages.filter(({ type }) => type === 'control.outcome')).toEqual([]);
});

test('Over one share 30 commands a minute are accepted, and the viewer is told when they are too many.', async () => {
  const { shareCode } = await givenShare(partner, steering);
  const [one, two] = [await watch(shareCode), await watch(shareCode)];
  await earlyInTheMinute();
  const answers = await Promise.all(Array.from({ length: 40 }, (_, index) => ask(index % 2 ? one : two, command)));
  expect(answers.filter(({ type }) => type === 'accepted')).toHaveLength(30);
  const refused = answers.filter(({ type }) => type !== 'accepted');
  expect(refused).toEqual(Array(10).fill({ type: 'error', error: 'Too many requests' }));
  expect(await ask(one, { action: 'ping' })).toEqual({ type: 'pong' });
});
