import { setTimeout as pause } from 'node:timers/promises';
import type { FaultsFile } from 'cloud-assembly-runner';
import { clients } from '../api/client';
import { givenJob, givenShare } from '../api/given';
import { seatsTaken } from '../channels/seats';
import { follow, tryToFollow, type Handshake } from '../channels/socket';
import { openTelemetry, tryToWatch, watch } from '../channels/telemetry-socket';
import { until } from '../channels/until';
import { viewersOf } from './recovery';
import { RECOVERED_WITHIN_MS } from './drill';
import { injectFaults } from './inject-faults';
import { oneByOne, type Recovery } from './one-by-one';

const partners = clients('seat-faults');

/** Handshakes of each kind during the fault. */
const HANDSHAKES = 10;

const cases: [string, FaultsFile][] = [
  ['DynamoDB was down', { dynamodb: { down: true } }],
  ['@connections failed', { connections: { failing: 1 } }],
  ['functions were killed while running', { functions: { killed: { share: 0.5 } } }],
];

/** Lets sockets connect and disconnect during a fault. Each has a client of its own, whose seats they are. */
async function undergo(faults: FaultsFile, index: number): Promise<Recovery> {
  const partner = partners[index] ?? partners[0];
  const { jobId } = await givenJob(partner);
  const channel = { kind: 'job', id: jobId } as const;
  const { shareCode } = await givenShare(partner, { maxViewers: 2 * HANDSHAKES });
  const before = await Promise.all([
    ...Array.from({ length: HANDSHAKES }, () => follow(partner, channel)),
    openTelemetry(partner),
    watch(shareCode),
    watch(shareCode),
  ]);
  const stays = await watch(shareCode);
  await until('counting three viewers', async () => ((await viewersOf(partner, shareCode)) === 3 ? true : undefined));

  injectFaults(faults);
  const handshakes = await Promise.all(
    Array.from({ length: HANDSHAKES }, () => [tryToFollow(partner, channel), tryToWatch(shareCode)]).flat(),
  );
  // Accepted, or refused with a server error; never with 429 or another final refusal.
  for (const { status } of handshakes) expect([101, 500, 502]).toContain(status);
  for (const { socket } of [...before.map((socket): Handshake => ({ status: 101, socket })), ...handshakes])
    socket?.socket.terminate();
  await pause(2000);
  injectFaults({});

  return async () => {
    // The viewer reconnects when it is closed.
    let viewer = stays;
    const isCounted = async () => {
      if (viewer.socket.readyState > 1) viewer = await watch(shareCode);
      if ((await viewersOf(partner, shareCode)) === 1) return true;
      await pause(500);
      return undefined;
    };
    const isFree = async () => {
      if ((await seatsTaken(partner)) === 0) return true;
      await pause(500);
      return undefined;
    };
    await until('releasing all seats', isFree, undefined, RECOVERED_WITHIN_MS);
    await until('counting one viewer', isCounted, () => viewersOf(partner, shareCode), RECOVERED_WITHIN_MS);
  };
}

const recovered = oneByOne(cases, undergo);

test.each(cases)(
  'after %s, while sockets connected and disconnected, all seats and viewer counts are correct within two minutes',
  async (fault) => {
    await recovered(fault);
  },
);
