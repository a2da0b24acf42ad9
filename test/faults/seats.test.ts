import { setTimeout as pause } from 'node:timers/promises';
import type { FaultsFile } from '../../local/faults-file';
import { clients } from '../api/client';
import { givenJob, givenShare } from '../api/given';
import { placesTaken } from '../channels/places';
import { follow, tryToFollow, type Handshake } from '../channels/socket';
import { openTelemetry, tryToWatch, watch } from '../channels/telemetry-socket';
import { until } from '../channels/until';
import { viewersOf } from './afterwards';
import { befall } from './befall';
import { RIGHT_WITHIN_MS } from './drill';

const [partner] = clients('function-faults');

/** Handshakes of each kind while the fault lasts. */
const COMING = 10;

const cases: [string, FaultsFile][] = [
  ['DynamoDB was down', { dynamodb: { down: true } }],
  ['@connections failed', { connections: { failing: 1 } }],
  ['functions were killed half-way', { functions: { killed: { share: 0.5 } } }],
];

test.each(cases)(
  'After %s, while sockets came and went, every seat is free again and viewers are counted right, within two minutes.',
  async (_, faults) => {
    const { jobId } = await givenJob(partner);
    const channel = { kind: 'job', id: jobId } as const;
    const { shareCode } = await givenShare(partner, { maxViewers: 2 * COMING });
    const before = await Promise.all([
      ...Array.from({ length: COMING }, () => follow(partner, channel)),
      openTelemetry(partner),
      watch(shareCode),
      watch(shareCode),
    ]);
    const stays = await watch(shareCode);
    await until('counting three viewers', async () => ((await viewersOf(partner, shareCode)) === 3 ? true : undefined));

    befall(faults);
    const handshakes = await Promise.all(
      Array.from({ length: COMING }, () => [tryToFollow(partner, channel), tryToWatch(shareCode)]).flat(),
    );
    // Let in, or refused as a failure of the service; nobody is told that there is no place, or to go away for good.
    for (const { status } of handshakes) expect([101, 500, 502]).toContain(status);
    for (const { socket } of [...before.map((socket): Handshake => ({ status: 101, socket })), ...handshakes])
      socket?.socket.terminate();
    await pause(2000);
    befall({});

    // Its client comes back when it is closed.
    let viewer = stays;
    const isRight = async () => {
      if (viewer.socket.readyState > 1) viewer = await watch(shareCode);
      if ((await viewersOf(partner, shareCode)) === 1) return true;
      await pause(500);
      return undefined;
    };
    const isFree = async () => {
      if ((await placesTaken(partner)) === 0) return true;
      await pause(500);
      return undefined;
    };
    await until('giving every seat back', isFree, undefined, RIGHT_WITHIN_MS);
    await until('counting one viewer', isRight, () => viewersOf(partner, shareCode), RIGHT_WITHIN_MS);
  },
);
