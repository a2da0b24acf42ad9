import { setTimeout as pause } from 'node:timers/promises';
import type { FaultsFile } from 'cloud-assembly-runner';
import { WebSocket } from 'ws';
import { clients, type Client } from '../api/client';
import { givenJob, givenShare } from '../api/given';
import { seatsTaken } from '../channels/seats';
import { follow, tryToFollow, type Handshake, type Socket } from '../channels/socket';
import { openTelemetry, tryToWatch, watch } from '../channels/telemetry-socket';
import { until } from '../channels/until';
import { viewersOf } from './recovery';
import { injectFaults } from './inject-faults';
import { RECOVERED_WITHIN_MS } from './drill';

const partners = clients('seat-faults');

/** Handshakes of each kind during a fault. */
const HANDSHAKES = 10;

const cases: [string, FaultsFile][] = [
  ['DynamoDB was down', { dynamodb: { down: true } }],
  ['@connections failed', { connections: { failing: 1 } }],
  ['functions were killed while running', { functions: { killed: { share: 0.5 } } }],
];

/** What a fault has left behind: seats of a partner, and one viewer of a share that had more. */
interface Left {
  readonly fault: string;
  readonly partner: Client;
  readonly shareCode: string;
  readonly viewer: Socket;
}
const left: Left[] = [];

test.each(cases.map(([fault, faults], index) => [fault, faults, partners[index] ?? partners[0]] as const))(
  'when %s, while sockets connected and disconnected, handshakes were accepted or refused with a server error',
  async (fault, faults, partner) => {
    const { jobId } = await givenJob(partner);
    const channel = { kind: 'job', id: jobId } as const;
    const { shareCode } = await givenShare(partner, { maxViewers: 2 * HANDSHAKES });
    const before = await Promise.all([
      ...Array.from({ length: HANDSHAKES }, () => follow(partner, channel)),
      openTelemetry(partner),
      watch(shareCode),
      watch(shareCode),
    ]);
    const viewer = await watch(shareCode);
    await until('counting three viewers', async () => ((await viewersOf(partner, shareCode)) === 3 ? true : undefined));

    injectFaults(faults);
    const handshakes = await Promise.all(
      Array.from({ length: HANDSHAKES }, () => [tryToFollow(partner, channel), tryToWatch(shareCode)]).flat(),
    );
    // Never with 429 or another final refusal.
    for (const { status } of handshakes) expect([101, 500, 502]).toContain(status);
    for (const { socket } of [...before.map((socket): Handshake => ({ status: 101, socket })), ...handshakes])
      socket?.socket.terminate();
    await pause(2000);
    left.push({ fault, partner, shareCode, viewer });
  },
);

async function expectReleased({ fault, partner, shareCode, viewer }: Left): Promise<void> {
  // The viewer reconnects when it is closed.
  let current = viewer;
  const isCounted = async () => {
    if (current.socket.readyState > WebSocket.OPEN) current = await watch(shareCode);
    if ((await viewersOf(partner, shareCode)) === 1) return true;
    await pause(500);
    return undefined;
  };
  const isFree = async () => {
    if ((await seatsTaken(partner)) === 0) return true;
    await pause(500);
    return undefined;
  };
  await until(`releasing all seats after ${fault}`, isFree, undefined, RECOVERED_WITHIN_MS);
  const count = () => viewersOf(partner, shareCode);
  await until(`counting one viewer after ${fault}`, isCounted, count, RECOVERED_WITHIN_MS);
}

// Of all faults together, since each seat lasts for a minute.
test('after each fault, all seats and viewer counts are correct within two minutes', async () => {
  expect(left.map(({ fault }) => fault)).toEqual(cases.map(([fault]) => fault));
  await Promise.all(left.map(expectReleased));
});
