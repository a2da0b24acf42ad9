import { setTimeout as pause } from 'node:timers/promises';
import { clients } from '../api/client';
import { fleetOf, givenShare } from '../api/given';
import { openTelemetry, publish, sampleOf, tryToWatch, watch } from './telemetry-socket';
import { quiet } from './until';

const [partner] = clients('revoked-share');
const { deviceId } = fleetOf(partner);

/** Connects and disconnects viewers as fast as one stranger with the link could, until aborted. */
function connectAndDisconnect(shareCode: string, stop: AbortSignal): Promise<void> {
  const repeatedly = async () => {
    while (!stop.aborted) {
      const { socket } = await tryToWatch(shareCode);
      await socket?.close();
    }
  };
  return Promise.all(Array.from({ length: 4 }, repeatedly)).then(() => undefined);
}

test('viewers of a revoked share receive nothing more, even while a stranger keeps connecting and disconnecting', async () => {
  const { shareCode } = await givenShare(partner, { maxViewers: 1000 });
  const publisher = await openTelemetry(partner);
  const viewers = await Promise.all([1, 2, 3].map(() => watch(shareCode)));
  const stop = new AbortController();
  const stranger = connectAndDisconnect(shareCode, stop.signal);
  await pause(1000);
  expect(await partner.call('DELETE /v3/shares/{shareCode}', { path: { shareCode } })).toMatchObject({ status: 200 });
  const sample = sampleOf(deviceId);
  await publish(publisher, sample);
  await quiet();
  for (const viewer of viewers) {
    await viewer.closed;
    expect(viewer.messages.at(-1)).toMatchObject({ type: 'share.status', shareState: 'REVOKED', currentViewers: 0 });
    expect(viewer.texts.join('')).not.toContain(sample.timestamp);
  }
  stop.abort();
  await stranger;
});

test('followers of a share receive its number of viewers at most about once a second, however many connect and disconnect', async () => {
  const { shareCode } = await givenShare(partner, { maxViewers: 1000 });
  const began = performance.now();
  const follower = await watch(shareCode);
  const stop = new AbortController();
  const stranger = connectAndDisconnect(shareCode, stop.signal);
  await pause(2000);
  const received = follower.messages.filter(({ type }) => type === 'share.status').length;
  const seconds = Math.ceil((performance.now() - began) / 1000);
  stop.abort();
  await stranger;
  // The snapshot, one for each second at most, and one that a heartbeat may cause.
  expect(received).toBeLessThanOrEqual(1 + seconds + 1);
});
