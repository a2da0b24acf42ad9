import { setTimeout as pause } from 'node:timers/promises';
import { OFFLINE_AFTER_MS } from '../../domain/fleet/offline';
import { clients } from '../api/client';
import { fleetOf, givenJobThatIs, givenShare } from '../api/given';
import { loseCheck } from './device-reports';
import { followFromSnapshot, type Socket } from './socket';
import { openTelemetry, publish, publishAgain, sampleOf, subscribeTo } from './telemetry-socket';
import { quiet, until } from './until';

const [partner] = clients('telemetry-state');
const { deviceId, deviceGroupId } = fleetOf(partner);
const group = { kind: 'group', id: deviceGroupId } as const;

const unchecked = partner.credentials.deviceGroups[1]?.devices[1]?.deviceId ?? '';
let uncheckedSince = 0;
/** How long it has been silent by then. */
const SILENT_MS = 20_000;

beforeAll(async () => {
  uncheckedSince = Date.now();
  await loseCheck(unchecked, new Date(uncheckedSince - SILENT_MS));
});

/** Status of each device, as the partner sees its fleet. */
async function statuses(): Promise<Readonly<Record<string, string>>> {
  const { body } = await partner.call('GET /v3/resources');
  const devices = body.resources.flatMap((each) => each.devices);
  return Object.fromEntries(devices.map((device) => [device.deviceId, device.status]));
}

const position = (altitude: number) => ({
  navigation: { position: { type: 'Point', coordinates: [8.55, 47.37, altitude] } },
});

/**
 * Publishes ten samples a second, for at least four seconds and until `isEnough`.
 * @returns altitudes by timestamp
 * @throws Error after a minute
 */
async function fly(publisher: Socket, state: object, isEnough: (altitudes: ReadonlyMap<string, number>) => boolean) {
  const altitudes = new Map<string, number>();
  for (let altitude = 500; altitude < 540 || !isEnough(altitudes); altitude++) {
    if (altitude > 1100) throw new Error('not enough positions were published');
    const sample = sampleOf(deviceId, { ...position(altitude), ...state });
    altitudes.set(sample.timestamp, altitude);
    publisher.send({ action: 'publish', telemetry: sample });
    await pause(100);
  }
  return altitudes;
}

test('positions of a device that reports ten times a second are published once a second on the channels of its group and job', async () => {
  const jobId = await givenJobThatIs('IN_PROGRESS', partner);
  const [onGroup, onJob, publisher] = await Promise.all([
    followFromSnapshot(partner, group),
    followFromSnapshot(partner, { kind: 'job', id: jobId }),
    openTelemetry(partner),
  ]);
  const positionsOn = ({ messages }: Socket, altitudes: ReadonlyMap<string, number>) =>
    messages.filter(({ timestamp }) => altitudes.has(String(timestamp)));
  const begin = Date.now();
  const altitudes = await fly(publisher, { jobId }, (published) =>
    [onGroup, onJob].every((socket) => positionsOn(socket, published).length >= 3),
  );
  await quiet();
  const seconds = (Date.now() - begin) / 1000;

  for (const [socket, type] of [
    [onGroup, 'device.status'],
    [onJob, 'job.status'],
  ] as const) {
    const positions = positionsOn(socket, altitudes);
    for (const message of positions) {
      const altitude = altitudes.get(String(message.timestamp)) ?? 0;
      expect(message).toMatchObject({ type, deviceId, ...position(altitude) });
    }
    expect(positions.length).toBeLessThanOrEqual(Math.ceil(seconds) + 1);
    const moments = positions.map(({ timestamp }) => String(timestamp));
    expect(moments).toEqual(moments.toSorted());
  }
  expect(onJob.messages.at(-1)).toMatchObject({ jobId, jobState: 'IN_PROGRESS', deviceGroupId });
});

/** The stored last known state of the device, as a share shows it. */
async function storedState(shareCode: string) {
  const { status, body } = await partner.call('GET /v3/shares/{shareCode}/resources', { path: { shareCode } });
  expect(status).toBe(200);
  return (body.resources[0] as { lastState?: Record<string, unknown> }).lastState;
}

test('a share shows the last known state, which an older sample does not overwrite', async () => {
  const [publisher, follower, { shareCode }] = await Promise.all([
    openTelemetry(partner),
    followFromSnapshot(partner, group),
    givenShare(partner),
  ]);
  const sample = sampleOf(deviceId, { ...position(612), battery: { percent: 44 } });
  await publish(publisher, sample);
  // Its write may be a second later, and the minute has no calls for as many looks as a second has room for.
  await follower.like({ deviceId, timestamp: sample.timestamp });
  const old = { ...sample, timestamp: new Date(Date.parse(sample.timestamp) - 500).toISOString(), battery: {} };
  expect(await publishAgain(publisher, old)).toEqual({
    type: 'published',
    accepted: 0,
    recorded: 0,
  });

  const { body } = await partner.call('GET /v3/shares/{shareCode}/resources', { path: { shareCode } });
  const { deviceId: _, ...lastState } = sample;
  expect(body.resources).toMatchObject([{ deviceId, status: 'online', lastState }]);
});

test('a change of droneState, dockState or job is stored at once, even shortly after another sample', async () => {
  const [publisher, { shareCode }] = await Promise.all([openTelemetry(partner), givenShare(partner)]);
  for (const change of [{ droneState: 'LANDED' }, { dockState: 'CLOSED' }, { jobId: 'none-of-ours' }]) {
    await pause(1100);
    const before = { droneState: 'HOVER', dockState: 'OPEN', jobId: 'another' };
    await publish(publisher, sampleOf(deviceId, before));
    await publish(publisher, sampleOf(deviceId, { ...before, ...change }));
    expect(await storedState(shareCode)).toMatchObject({ ...before, ...change });
  }
});

test('the latest sample of a device is stored whenever it arrives, and its group receives it, at most once a second', async () => {
  const [publisher, follower, { shareCode }] = await Promise.all([
    openTelemetry(partner),
    followFromSnapshot(partner, group),
    givenShare(partner),
  ]);
  for (const gaps of [[10], [400, 400], Array.from({ length: 9 }, () => 100)]) {
    await pause(1100);
    const begun = Date.now();
    await publish(publisher, sampleOf(deviceId, position(700)));
    let last = sampleOf(deviceId, position(701));
    for (const gap of gaps) {
      await pause(gap);
      await publish(publisher, (last = sampleOf(deviceId, position(701))));
    }
    await follower.like({ deviceId, timestamp: last.timestamp });
    expect(await storedState(shareCode)).toMatchObject({ timestamp: last.timestamp });
    const received = follower.messages.filter(({ timestamp }) => Date.parse(String(timestamp)) >= begun);
    expect(received.length).toBeLessThanOrEqual(Math.ceil((Date.now() - begun) / 1000) + 1);
  }
});

test('a device is online while it reports, and offline after 30 seconds of silence; its group receives both changes once', async () => {
  const quietDevice = partner.credentials.deviceGroups[1]?.devices[0]?.deviceId ?? '';
  const quietGroup = partner.credentials.deviceGroups[1]?.deviceGroupId ?? '';
  const follower = await followFromSnapshot(partner, { kind: 'group', id: quietGroup });
  const publisher = await openTelemetry(partner);
  await subscribeTo(publisher, { deviceId: quietDevice });
  expect((await statuses())[quietDevice]).toBe('offline');

  await publish(publisher, sampleOf(quietDevice));
  await follower.like({ deviceId: quietDevice, status: 'online' });
  expect((await statuses())[quietDevice]).toBe('online');

  // It reports once more, so that its check is repeated.
  await pause(5000);
  const reportedAt = Date.now();
  await publish(publisher, sampleOf(quietDevice));
  const changes = () =>
    follower.messages.filter((message) => message['deviceId'] === quietDevice && message.snapshot !== true);
  await pause(28_000);
  const status = (await statuses())[quietDevice];
  // On a busy machine the answer may be of a later moment.
  if (Date.now() - reportedAt < 30_000) expect(status).toBe('online');
  await until('going offline', () => (changes().at(-1)?.['status'] === 'offline' ? true : undefined));
  expect(Date.now() - reportedAt).toBeGreaterThanOrEqual(30_000);
  expect((await statuses())[quietDevice]).toBe('offline');
  await quiet();
  expect(changes().map((message) => message['status'])).toEqual(['online', 'online', 'offline']);

  await publish(publisher, sampleOf(quietDevice));
  await until('coming back', () => (changes().at(-1)?.['status'] === 'online' ? true : undefined));
});

test('a silent device whose device check was lost goes offline within another minute', async () => {
  const offline = async () => {
    await pause(500);
    return (await statuses())[unchecked] === 'offline' ? true : undefined;
  };
  // A check is lost when it is 5 s late; that is looked for every minute.
  const lostAt = uncheckedSince + OFFLINE_AFTER_MS - SILENT_MS + 5000;
  await until('going offline', offline, undefined, Math.max(lostAt + 60_000 - Date.now(), 0) + 15_000);
});
