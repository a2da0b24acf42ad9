import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { placeOf } from '../../data/connections/places';
import { clients } from '../api/client';
import { fleetOf, givenShare, iso, nobodys } from '../api/given';
import { database, streamOf, tableNamed } from '../api/stack/aws-access';
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
import { quiet, until } from './until';

const [partner] = clients('telemetry-viewers');
const { deviceId, deviceGroupId } = fleetOf(partner);
const neighbour = partner.credentials.deviceGroups[0]?.devices[1]?.deviceId ?? '';

/** Viewers that a share has, as its partner sees it. */
async function viewersOf(shareCode: string): Promise<number | undefined> {
  const { body } = await partner.call('GET /v3/shares', { query: { limit: '100' } });
  return body.shares.find((share) => share.shareCode === shareCode)?.currentViewers;
}
const untilViewersAre = (shareCode: string, count: number) =>
  until(`having ${count} viewers`, async () => ((await viewersOf(shareCode)) === count ? true : undefined));

describe('A viewer', () => {
  test('is told of the share, then where the device is, and then hears each of its samples and no other.', async () => {
    const publisher = await openTelemetry(partner);
    await publish(publisher, sampleOf(deviceId, { droneState: 'HOVER' }));
    const { shareCode, expiresAt, maxViewers } = await givenShare(partner, { maxViewers: 3 });
    const viewer = await watch(shareCode);
    const [status, snapshot] = await viewer.first(2);
    expect(status).toEqual({
      type: 'share.status',
      sequence: 1,
      shareCode,
      shareState: 'ACTIVE',
      shareType: 'DEVICE_STATUS',
      permissions: ['view'],
      currentViewers: 1,
      maxViewers,
      expiresAt,
      snapshot: true,
      timestamp: iso,
    });
    expect(snapshot).toMatchObject({ type: 'device.telemetry', deviceId, droneState: 'HOVER', snapshot: true });

    await publish(publisher, sampleOf(neighbour));
    const sample = sampleOf(deviceId);
    await publish(publisher, sample);
    const sequence = Date.parse(sample.timestamp);
    const heard = { type: 'device.telemetry', ...sample, sequence, receivedAt: iso };
    expect(await viewer.like({ timestamp: sample.timestamp })).toEqual(heard);
    await quiet();
    expect(viewer.texts.join('')).not.toContain(neighbour);
  });

  test('is not told of the group, the job, or what the maker lets the sensors say, live or before.', async () => {
    const [publisher, partnerSocket] = [await openTelemetry(partner), await openTelemetry(partner)];
    await ask(partnerSocket, { action: 'subscribe', deviceId });
    const jobId = 'job-of-the-partner';
    const orientation = { heading: 90 };
    const sensorPayload = { camera: { orientation, lens: 'secret' }, note: 'secret' };
    const { shareCode } = await givenShare(partner);
    const live = await watch(shareCode);
    const sample = sampleOf(deviceId, { jobId, sensorPayload });
    await publish(publisher, sample);
    const late = await watch(shareCode);
    for (const viewer of [live, late]) {
      expect(await viewer.like({ timestamp: sample.timestamp })).toMatchObject({
        sensorPayload: { camera: { orientation } },
      });
      for (const hidden of ['secret', jobId, deviceGroupId]) expect(viewer.texts.join('')).not.toContain(hidden);
    }
    expect(await partnerSocket.like({ timestamp: sample.timestamp })).toMatchObject({
      jobId,
      sensorPayload,
      deviceGroupId,
    });
  });

  test('hears how many there are, and so does the partner.', async () => {
    const { shareCode } = await givenShare(partner);
    const first = await watch(shareCode);
    const second = await watch(shareCode);
    await first.like({ currentViewers: 2 });
    await untilViewersAre(shareCode, 2);
    await second.close();
    await until('leaving', () => (first.messages.at(-1)?.['currentViewers'] === 1 ? true : undefined));
    first.socket.terminate();
    await untilViewersAre(shareCode, 0);
  });

  test('may do nothing but ping, and what it may not costs it nothing.', async () => {
    const { shareCode } = await givenShare(partner);
    const viewer = await watch(shareCode);
    const forbidden = { type: 'error', error: 'Forbidden' };
    for (const message of [
      { action: 'publish', telemetry: sampleOf(deviceId) },
      { action: 'subscribe', deviceId: neighbour },
      { action: 'subscribe', deviceGroupId },
      { action: 'unsubscribe', deviceId },
      { action: 'control', command: { name: 'HOVER' } },
      { action: 'playback' },
    ])
      expect(await ask(viewer, message)).toEqual(forbidden);
    expect(await ask(viewer, { action: 'ping' })).toEqual({ type: 'pong' });
    const publisher = await openTelemetry(partner);
    await publish(publisher, sampleOf(neighbour));
    const sample = sampleOf(deviceId);
    await publish(publisher, sample);
    await viewer.like({ timestamp: sample.timestamp });
    expect(samplesIn(viewer, neighbour)).toEqual([]);
  });

  test('of a share that permits it controls the drone, and is told what is wrong with a command.', async () => {
    const { shareCode } = await givenShare(partner, { permissions: ['view', 'control'] });
    const viewer = await watch(shareCode);
    const command = { name: 'GO_TO', altitude: 40 };
    expect(await ask(viewer, { action: 'control', command })).toMatchObject({ type: 'accepted' });
    for (const wrong of [{}, { name: '' }, { name: 7 }, 'HOVER', undefined])
      expect(await ask(viewer, { action: 'control', command: wrong })).toMatchObject({ error: 'invalid_request' });
  });

  test('of a stream is told where the video is, or that the device has none, and may ask again.', async () => {
    const resourceId = await streamOf(partner.credentials.organisationId, deviceId);
    for (const resource of [resourceId, neighbour]) {
      const { shareCode } = await givenShare(partner, { resourceId: resource, shareType: 'STREAM' });
      const viewer = await watch(shareCode);
      const first = await viewer.like({ type: 'share.playback' });
      const again = await ask(viewer, { action: 'playback' });
      const none = { type: 'share.playback', playback: null, error: 'The device has no video stream' };
      for (const answer of [first, again])
        if (resource === neighbour) expect(answer).toEqual(none);
        else expect(answer).toMatchObject({ playback: { protocol: 'HLS', expiresAt: iso } });
    }
  });
});

describe('A share for 5 viewers', () => {
  const opened = (handshakes: readonly { socket?: Socket }[]) => handshakes.flatMap(({ socket }) => socket ?? []);
  const atOnce = (shareCode: string, count: number) =>
    Promise.all(Array.from({ length: count }, () => tryToWatch(shareCode)));

  test('lets in 5 of 20 at once, and another one for each that leaves.', async () => {
    const { shareCode } = await givenShare(partner, { maxViewers: 5 });
    const handshakes = await atOnce(shareCode, 20);
    const statuses = handshakes.map(({ status }) => status).toSorted();
    expect(statuses).toEqual([...Array<number>(5).fill(101), ...Array<number>(15).fill(429)]);
    await untilViewersAre(shareCode, 5);
    const [leaving, ...others] = opened(handshakes);
    await leaving?.close();
    await untilViewersAre(shareCode, 4);
    expect((await atOnce(shareCode, 3)).map(({ status }) => status).toSorted()).toEqual([101, 429, 429]);
    for (const other of others) expect(other.socket.readyState).toBe(other.socket.OPEN);
  });

  test('tells a page that it is full by the subprotocol, and nothing more.', async () => {
    const { shareCode } = await givenShare(partner, { maxViewers: 1 });
    expect(await outcomeForPage(shareCode)).toBe('share');
    await watch(shareCode);
    expect(await outcomeForPage(shareCode)).toBe('share.full');
    await untilViewersAre(shareCode, 1);
  });

  test('lets in so many a minute, however soon they leave, and keeps nobody from another share.', async () => {
    const { shareCode } = await givenShare(partner, { maxViewers: 100 });
    const comeAndLeave = async () => {
      const { status, socket } = await tryToWatch(shareCode);
      await socket?.close();
      return status;
    };
    const statuses: number[] = [];
    // 160 of them, and as many again when the minute ends meanwhile.
    while (!statuses.includes(429) && statuses.length < 400)
      statuses.push(...(await Promise.all(Array.from({ length: 10 }, comeAndLeave))));
    const letIn = statuses.filter((status) => status === 101).length;
    expect(letIn).toBeGreaterThanOrEqual(160);
    expect(letIn).toBeLessThanOrEqual(320);
    await watch((await givenShare(partner)).shareCode);
  });

  /** Lets viewers have been lost without a word; `follows` whether they are noted to follow the device. */
  async function givenLost(shareCode: string, expiresAt: number, follows: boolean): Promise<void> {
    const names = ['lost-1=', 'lost-2=', 'lost-3=', 'lost-4=', 'lost-5='];
    const openedAt = Math.floor(Date.now() / 1000);
    const held = new Set(names.map((connectionId) => placeOf({ expiresAt, openedAt, connectionId })));
    const TableName = await tableNamed('Connections');
    const seats = `seats#${shareCode}`;
    await database().send(new PutCommand({ TableName, Item: { channel: seats, connectionId: seats, held } }));
    const common = { shareCode, session: true, openedAt, expiresAt, ttl: expiresAt };
    for (const connectionId of follows ? names : [])
      await database().send(
        new PutCommand({ TableName, Item: { channel: `telemetry#${deviceId}`, connectionId, ...common } }),
      );
  }

  test('has room again once those that were lost without a word must have ended.', async () => {
    const { shareCode } = await givenShare(partner, { maxViewers: 5 });
    await givenLost(shareCode, Math.floor(Date.now() / 1000) - 1, false);
    await watch(shareCode);
    await untilViewersAre(shareCode, 1);
  });

  test('counts those that were lost until a sample finds that they are gone.', async () => {
    const { shareCode } = await givenShare(partner, { maxViewers: 5 });
    await givenLost(shareCode, Math.floor(Date.now() / 1000) + 600, true);
    expect(await tryToWatch(shareCode)).toEqual({ status: 429 });
    await publish(await openTelemetry(partner), sampleOf(deviceId));
    await untilViewersAre(shareCode, 0);
    await watch(shareCode);
  });
});

describe('A guess', () => {
  test('is refused with 404, whatever it looks like, and a page is told so.', async () => {
    const { shareCode } = await givenShare(partner);
    const guesses = [nobodys(shareCode), shareCode.toUpperCase(), `${shareCode}0`, deviceId, 'x', '../..', "' OR 1=1"];
    for (const guess of guesses) expect(await tryToWatch(guess)).toEqual({ status: 404 });
    expect(await outcomeForPage(nobodys(shareCode))).toBe('share.not-found');
  });

  test('of many is refused each time, and keeps nobody from watching.', async () => {
    const { shareCode } = await givenShare(partner);
    const guesses = Array.from({ length: 100 }, (_, index) => shareCode.slice(0, -3) + String(index).padStart(3, '0'));
    const wrong = guesses.filter((guess) => guess !== shareCode);
    const statuses = (await Promise.all(wrong.map((guess) => tryToWatch(guess)))).map(({ status }) => status);
    expect(new Set(statuses)).toEqual(new Set([404]));
    await watch(shareCode);
  });
});
