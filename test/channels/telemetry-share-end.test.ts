import { clients } from '../api/client';
import { fleetOf, givenShare } from '../api/given';
import { givenShortShare } from './short-share';
import { ask, openTelemetry, outcomeForPage, publish, sampleOf, tryToWatch, watch } from './telemetry-socket';

const [partner] = clients('telemetry-share-end');
const { deviceId } = fleetOf(partner);
const revoke = (shareCode: string) => partner.call('DELETE /v3/shares/{shareCode}', { path: { shareCode } });

/** Lets the device report until the test is over. */
async function keepPublishing(): Promise<void> {
  const publisher = await openTelemetry(partner);
  publishing = setInterval(() => publisher.say({ action: 'publish', telemetry: sampleOf(deviceId) }), 100);
}
let publishing: NodeJS.Timeout | undefined;
afterEach(() => {
  clearInterval(publishing);
});

/** What every viewer hears at the end, and nobody hears anything after it. */
const lastWord = (shareCode: string, shareState: string) => ({
  type: 'share.status',
  shareCode,
  shareState,
  currentViewers: 0,
});

test('Who watches a share that is revoked hears REVOKED and is closed within 2 seconds, and nothing comes after that.', async () => {
  const { shareCode } = await givenShare(partner, { permissions: ['view', 'control'] });
  const viewers = await Promise.all([1, 2, 3].map(() => watch(shareCode)));
  await keepPublishing();
  const begin = performance.now();
  expect(await revoke(shareCode)).toMatchObject({ status: 200 });
  for (const viewer of viewers) expect(await viewer.closed).toMatchObject({ code: 1000 });
  // The one figure that the protocol promises.
  expect(performance.now() - begin).toBeLessThan(2000);
  for (const viewer of viewers) {
    const heard = viewer.messages;
    const end = heard.findIndex(({ shareState }) => shareState === 'REVOKED');
    expect(heard[end]).toMatchObject(lastWord(shareCode, 'REVOKED'));
    expect(heard.slice(end + 1).filter(({ type }) => type === 'share.status')).toEqual([]);
  }
  expect(await tryToWatch(shareCode)).toEqual({ status: 404 });
});

test('Who watches one share is not closed with another one of the same device.', async () => {
  const [gone, kept] = [await givenShare(partner), await givenShare(partner)];
  const [leaving, staying] = [await watch(gone.shareCode), await watch(kept.shareCode)];
  await revoke(gone.shareCode);
  await leaving.closed;
  const sample = sampleOf(deviceId);
  await publish(await openTelemetry(partner), sample);
  await staying.like({ timestamp: sample.timestamp });
  expect(leaving.texts.join('')).not.toContain(sample.timestamp);
});

test('Who watches a share that expires hears EXPIRED, not before its time, and is closed.', async () => {
  const shareCode = await givenShortShare(partner, 3);
  const viewers = await Promise.all([1, 2].map(() => watch(shareCode)));
  await keepPublishing();
  for (const viewer of viewers) {
    expect(await viewer.closed).toMatchObject({ code: 1000 });
    const end = viewer.messages.at(-1);
    expect(end).toMatchObject(lastWord(shareCode, 'EXPIRED'));
    expect(Date.now()).toBeGreaterThanOrEqual(Date.parse(String(end?.['expiresAt'])));
  }
  expect(await tryToWatch(shareCode)).toEqual({ status: 404 });
  expect(await outcomeForPage(shareCode)).toBe('share.not-found');
});

test('Who comes while the share is revoked is not left watching.', async () => {
  const { shareCode } = await givenShare(partner);
  const coming = Array.from({ length: 10 }, () => tryToWatch(shareCode));
  await revoke(shareCode);
  const handshakes = await Promise.all(coming);
  const sample = sampleOf(deviceId);
  await publish(await openTelemetry(partner), sample);
  for (const { status, socket } of handshakes) {
    expect([101, 404]).toContain(status);
    await socket?.closed;
    expect(socket?.texts.join('') ?? '').not.toContain(sample.timestamp);
  }
});

test('Revoking one share ends no partner.', async () => {
  const { shareCode } = await givenShare(partner);
  const socket = await openTelemetry(partner);
  await ask(socket, { action: 'subscribe', deviceId });
  const viewer = await watch(shareCode);
  await revoke(shareCode);
  await viewer.closed;
  const sample = sampleOf(deviceId);
  await publish(socket, sample);
  await socket.like({ timestamp: sample.timestamp });
});
