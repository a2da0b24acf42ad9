import { setTimeout as pause } from 'node:timers/promises';
import { clients } from '../api/client';
import { fleetOf, givenShare } from '../api/given';
import { openTelemetry, publish, sampleOf, tryToWatch, watch } from './telemetry-socket';
import { quiet } from './until';

const [partner] = clients('revoked-share');
const { deviceId } = fleetOf(partner);

/** Viewers come and leave as fast as one stranger with the link can make them, until told to stop. */
function comeAndLeave(shareCode: string, stop: AbortSignal): Promise<void> {
  const oneAfterTheOther = async () => {
    while (!stop.aborted) {
      const { socket } = await tryToWatch(shareCode);
      await socket?.close();
    }
  };
  return Promise.all(Array.from({ length: 4 }, oneAfterTheOther)).then(() => undefined);
}

test('Once a share is revoked no viewer hears anything more, although a stranger keeps coming and leaving.', async () => {
  const { shareCode } = await givenShare(partner, { maxViewers: 1000 });
  const publisher = await openTelemetry(partner);
  const viewers = await Promise.all([1, 2, 3].map(() => watch(shareCode)));
  const stop = new AbortController();
  const stranger = comeAndLeave(shareCode, stop.signal);
  await pause(1000);
  expect(await partner.call('DELETE /v3/shares/{shareCode}', { path: { shareCode } })).toMatchObject({ status: 200 });
  const sample = sampleOf(deviceId);
  await publish(publisher, sample);
  await quiet();
  for (const viewer of viewers) {
    expect(viewer.socket.readyState).toBe(viewer.socket.CLOSED);
    expect(viewer.messages.at(-1)).toMatchObject({ type: 'share.status', shareState: 'REVOKED' });
    expect(viewer.texts.join('')).not.toContain(sample.timestamp);
  }
  stop.abort();
  await stranger;
});

test('Followers of a share are told how many watch it, at most a few times in a second in which many come and leave.', async () => {
  const { shareCode } = await givenShare(partner, { maxViewers: 1000 });
  const follower = await watch(shareCode);
  const stop = new AbortController();
  const stranger = comeAndLeave(shareCode, stop.signal);
  await pause(2000);
  const told = follower.messages.filter(({ type }) => type === 'share.status').length;
  stop.abort();
  await stranger;
  // The snapshot, and one for each second at most.
  expect(told).toBeLessThanOrEqual(5);
});
