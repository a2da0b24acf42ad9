import { clients } from '../api/client';
import { fleetOf, givenShare, givenShortShare } from '../api/given';
import type { Socket } from './socket';
import {
  ask,
  openTelemetry,
  outcomeForPage,
  publish,
  sampleOf,
  samplesIn,
  tryToWatch,
  watch,
} from './telemetry-socket';

const [partner] = clients('telemetry-share-end');
const { deviceId } = fleetOf(partner);
const revoke = (shareCode: string) => partner.call('DELETE /v3/shares/{shareCode}', { path: { shareCode } });

/** Publishes samples until the end of the test. */
async function keepPublishing(): Promise<void> {
  const publisher = await openTelemetry(partner);
  publishing = setInterval(() => publisher.send({ action: 'publish', telemetry: sampleOf(deviceId) }), 100);
}
let publishing: NodeJS.Timeout | undefined;
afterEach(() => {
  clearInterval(publishing);
});

const statusesOf = (viewer: Socket) => viewer.messages.filter(({ type }) => type === 'share.status');

/** Final message to every viewer. */
const finalMessage = (shareCode: string, shareState: string) => ({
  type: 'share.status',
  shareCode,
  shareState,
  currentViewers: 0,
});

test('a viewer of a revoked share receives REVOKED as its final status and is closed before the revocation is answered', async () => {
  const { shareCode } = await givenShare(partner, { permissions: ['view', 'control'] });
  const viewers = await Promise.all([1, 2, 3].map(() => watch(shareCode)));
  await keepPublishing();
  expect(await revoke(shareCode)).toMatchObject({ status: 200 });
  for (const viewer of viewers) viewer.send({ action: 'ping' });
  for (const viewer of viewers) expect(await viewer.closed).toMatchObject({ code: 1000 });
  for (const viewer of viewers) {
    const messages = viewer.messages;
    // It was closed when the ping arrived.
    expect(messages.filter(({ type }) => type === 'pong')).toEqual([]);
    const end = messages.findIndex(({ shareState }) => shareState === 'REVOKED');
    expect(messages[end]).toMatchObject(finalMessage(shareCode, 'REVOKED'));
    expect(messages.slice(end + 1).filter(({ type }) => type === 'share.status')).toEqual([]);
  }
  expect(await tryToWatch(shareCode)).toEqual({ status: 404 });
});

test('a viewer of another share of the same device is not closed', async () => {
  const [revoked, active] = [await givenShare(partner), await givenShare(partner)];
  const [leaving, staying] = [await watch(revoked.shareCode), await watch(active.shareCode)];
  await revoke(revoked.shareCode);
  await leaving.closed;
  const sample = sampleOf(deviceId);
  await publish(await openTelemetry(partner), sample);
  await staying.like({ timestamp: sample.timestamp });
  expect(leaving.texts.join('')).not.toContain(sample.timestamp);
});

test('a viewer of an expiring share receives EXPIRED, not before its time, and is closed', async () => {
  // Long enough to watch it, and to receive some samples.
  const shareCode = await givenShortShare(partner, 8);
  const viewers = await Promise.all([1, 2].map(() => watch(shareCode)));
  await keepPublishing();
  for (const viewer of viewers) {
    expect(await viewer.closed).toMatchObject({ code: 1000 });
    const [end] = statusesOf(viewer).slice(-1);
    expect(end).toMatchObject(finalMessage(shareCode, 'EXPIRED'));
    const expiresAt = String(end?.['expiresAt']);
    expect(Date.now()).toBeGreaterThanOrEqual(Date.parse(expiresAt));
    // One that was sent before may arrive after the final message: two functions send them.
    expect(samplesIn(viewer, deviceId).filter(({ timestamp = '' }) => timestamp >= expiresAt)).toEqual([]);
    expect(samplesIn(viewer, deviceId).length).toBeGreaterThan(5);
  }
  expect(await tryToWatch(shareCode)).toEqual({ status: 404 });
  expect(await outcomeForPage(shareCode)).toBe('share.not-found');
});

test('a viewer that connects during the revocation is refused or closed', async () => {
  const { shareCode } = await givenShare(partner);
  const connecting = Array.from({ length: 10 }, () => tryToWatch(shareCode));
  await revoke(shareCode);
  const handshakes = await Promise.all(connecting);
  const sample = sampleOf(deviceId);
  await publish(await openTelemetry(partner), sample);
  for (const { status, socket } of handshakes) {
    expect([101, 404]).toContain(status);
    await socket?.closed;
    expect(socket?.texts.join('') ?? '').not.toContain(sample.timestamp);
  }
});

test('revoking a share does not affect sockets of partners', async () => {
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
