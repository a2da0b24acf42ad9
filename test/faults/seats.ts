import { setTimeout as pause } from 'node:timers/promises';
import { givenJob, givenShare } from '../api/given';
import { seatsTaken } from '../channels/seats';
import { follow, tryToFollow, type Handshake } from '../channels/socket';
import { openTelemetry, tryToWatch, watch } from '../channels/telemetry-socket';
import { until } from '../channels/until';
import { injectFaults } from './inject-faults';
import { viewersOf } from './recovery';
import { RECOVERED_WITHIN_MS, type Trial } from './trial';

/** Handshakes of each kind during the fault. */
const HANDSHAKES = 10;

/** Lets sockets connect and disconnect during a fault. The partner's seats are of these sockets only. */
export const connectDuring: Trial = async (partner, faults) => {
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
};
