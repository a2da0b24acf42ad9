import { setTimeout as pause } from 'node:timers/promises';
import { clients } from '../api/client';
import { fleetOf, givenShare } from '../api/given';
import { publishPlatformEvent } from './platform-bus';
import { ask, watch } from './telemetry-socket';
import { quiet } from './until';

const [partner] = clients('share-control');
const { deviceId } = fleetOf(partner);
const steering = { permissions: ['view', 'control'] };
const command = { action: 'control', command: { name: 'HOVER' } };

const WINDOW_MS = 60_000;
/** Waits for the next minute if this one might end while commands are counted. */
async function earlyInTheMinute(): Promise<void> {
  const left = WINDOW_MS - (Date.now() % WINDOW_MS);
  if (left < 15_000) await pause(left);
}

test('a command is accepted with a request id, and the viewers of its share receive its outcome with this id', async () => {
  const { shareCode } = await givenShare(partner, steering);
  const other = await watch((await givenShare(partner, steering)).shareCode);
  const [viewer, colleague] = [await watch(shareCode), await watch(shareCode)];
  const { requestId, ...answer } = await ask(viewer, command);
  expect(answer).toEqual({ type: 'accepted' });
  const at = new Date().toISOString();
  const outcome = { requestId, deviceId, name: 'HOVER', outcome: 'REFUSED', reason: 'DEVICE_BUSY' };
  await publishPlatformEvent('control.outcome.reported', { ...outcome, at }, new Date());
  for (const socket of [viewer, colleague])
    expect(await socket.like({ type: 'control.outcome' })).toEqual({
      type: 'control.outcome',
      ...outcome,
      timestamp: at,
    });
  await publishPlatformEvent('control.outcome.reported', { ...outcome, outcome: 'DONE', at }, new Date());
  await quiet();
  expect(viewer.messages.filter(({ type }) => type === 'control.outcome')).toHaveLength(1);
  expect(other.messages.filter(({ type }) => type === 'control.outcome')).toEqual([]);
});

test('a share accepts 30 commands a minute, and further ones are answered with too_many_requests', async () => {
  const { shareCode } = await givenShare(partner, steering);
  const [one, two] = [await watch(shareCode), await watch(shareCode)];
  await earlyInTheMinute();
  const answers = await Promise.all(Array.from({ length: 40 }, (_, index) => ask(index % 2 ? one : two, command)));
  expect(answers.filter(({ type }) => type === 'accepted')).toHaveLength(30);
  const refused = answers.filter(({ type }) => type !== 'accepted');
  expect(refused).toEqual(Array(10).fill({ type: 'error', code: 'too_many_requests', error: 'Too many requests' }));
  expect(await ask(one, { action: 'ping' })).toMatchObject({ type: 'pong' });
});
