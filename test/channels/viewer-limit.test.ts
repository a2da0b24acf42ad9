import { shareSeats } from '../../data/store/seats';
import { viewerHandshakesPerMinute } from '../../domain/shares/share';
import { digestShareCode } from '../../data/shares/share-id';
import { clients } from '../api/client';
import { fleetOf, givenShare, nobodys } from '../api/given';
import { givenCalls } from '../api/stack/given-calls';
import { givenFollowers, givenSeats, absentHolders, viewerSeatsTaken, untilViewersAre } from './seats';
import type { Socket } from './socket';
import { openTelemetry, outcomeForPage, publish, sampleOf, tryToWatch, watch } from './telemetry-socket';
import { until } from './until';

const [partner] = clients('viewer-limit');
const { deviceId } = fleetOf(partner);

describe('A share for 5 viewers', () => {
  const opened = (handshakes: readonly { socket?: Socket }[]) => handshakes.flatMap(({ socket }) => socket ?? []);
  const atOnce = (shareCode: string, count: number) =>
    Promise.all(Array.from({ length: count }, () => tryToWatch(shareCode)));

  test('accepts 5 of 20 concurrent viewers, and another one for each that leaves', async () => {
    const { shareCode } = await givenShare(partner, { maxViewers: 5 });
    const handshakes = await atOnce(shareCode, 20);
    const statuses = handshakes.map(({ status }) => status).toSorted();
    expect(statuses).toEqual([...Array<number>(5).fill(101), ...Array<number>(15).fill(429)]);
    await untilViewersAre(partner, shareCode, 5);
    const [leaving, ...others] = opened(handshakes);
    await leaving?.close();
    await untilViewersAre(partner, shareCode, 4);
    expect((await atOnce(shareCode, 3)).map(({ status }) => status).toSorted()).toEqual([101, 429, 429]);
    for (const other of others) expect(other.socket.readyState).toBe(other.socket.OPEN);
  });

  test('refuses a page by the subprotocol share.full', async () => {
    const { shareCode } = await givenShare(partner, { maxViewers: 1 });
    expect(await outcomeForPage(shareCode)).toBe('share');
    await until('releasing the seat', async () => ((await viewerSeatsTaken(shareCode)) === 0 ? true : undefined));
    await watch(shareCode);
    expect(await outcomeForPage(shareCode)).toBe('share.full');
    await untilViewersAre(partner, shareCode, 1);
  });

  test('accepts a limited number of viewers a minute, however soon they leave, without affecting other shares', async () => {
    const { shareCode } = await givenShare(partner, { maxViewers: 100 });
    const connectAndDisconnect = async () => {
      const { status, socket } = await tryToWatch(shareCode);
      await socket?.close();
      return status;
    };
    await givenCalls(`viewers#${digestShareCode(shareCode)}`, viewerHandshakesPerMinute({ maxViewers: 100 }) - 15);
    const statuses = await Promise.all(Array.from({ length: 40 }, connectAndDisconnect));
    const accepted = statuses.filter((status) => status === 101).length;
    // As many again when a minute ends meanwhile.
    expect(accepted).toBeGreaterThanOrEqual(15);
    expect(accepted).toBeLessThanOrEqual(30);
    expect(statuses.filter((status) => status === 429)).toHaveLength(40 - accepted);
    await watch((await givenShare(partner)).shareCode);
  });

  /** Takes all seats of a share for viewers that were lost without $disconnect. */
  async function givenLostViewers(shareCode: string, forSeconds: number) {
    const viewers = absentHolders('lost-viewer', 5, forSeconds);
    await givenSeats(shareSeats(shareCode), viewers);
    return viewers;
  }

  test('releases the seats of lost viewers once their connections have expired', async () => {
    const { shareCode } = await givenShare(partner, { maxViewers: 5 });
    await givenLostViewers(shareCode, -1);
    await watch(shareCode);
    await untilViewersAre(partner, shareCode, 1);
  });

  test('counts lost viewers until the delivery of a sample finds their sockets closed', async () => {
    const { shareCode } = await givenShare(partner, { maxViewers: 5 });
    const viewers = await givenLostViewers(shareCode, 600);
    await givenFollowers(`telemetry#${deviceId}`, viewers, { shareCode, session: true });
    expect(await tryToWatch(shareCode)).toEqual({ status: 429 });
    await publish(await openTelemetry(partner), sampleOf(deviceId));
    await untilViewersAre(partner, shareCode, 0);
    await watch(shareCode);
  });
});

describe('A guessed share code', () => {
  test('is refused with 404, whatever its form, and a page by the subprotocol share.not-found', async () => {
    const { shareCode } = await givenShare(partner);
    const guesses = [nobodys(shareCode), shareCode.toUpperCase(), `${shareCode}0`, deviceId, 'x', '../..', "' OR 1=1"];
    for (const guess of guesses) expect(await tryToWatch(guess)).toEqual({ status: 404 });
    expect(await outcomeForPage(nobodys(shareCode))).toBe('share.not-found');
  });

  test('among many is refused each time, and viewers are still accepted', async () => {
    const { shareCode } = await givenShare(partner);
    const guesses = Array.from({ length: 100 }, (_, index) => shareCode.slice(0, -3) + String(index).padStart(3, '0'));
    const wrong = guesses.filter((guess) => guess !== shareCode);
    const statuses = (await Promise.all(wrong.map((guess) => tryToWatch(guess)))).map(({ status }) => status);
    expect(new Set(statuses)).toEqual(new Set([404]));
    await watch(shareCode);
  });
});
