import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { setTimeout as pause } from 'node:timers/promises';
import { clients } from '../api/client';
import { database, tableNamed } from '../api/stack/aws-access';
import { organisationOf } from '../../domain/id';
import { fleetOf, givenJobThatIs, givenShare } from '../api/given';
import { followFromSnapshot, type Socket } from './socket';
import { ask, openTelemetry, publish, sampleOf, subscribeTo } from './telemetry-socket';
import { quiet, until } from './until';

const [partner] = clients('telemetry-state');
const { deviceId, deviceGroupId } = fleetOf(partner);
const group = { kind: 'group', id: deviceGroupId } as const;

const unwatched = partner.credentials.deviceGroups[1]?.devices[1]?.deviceId ?? '';
let unwatchedSince = 0;

/** As a function leaves it that ends before it has sent the message that watches over the device, or a queue that loses it. */
beforeAll(async () => {
  unwatchedSince = Date.now();
  await database().send(
    new UpdateCommand({
      TableName: await tableNamed('Fleet'),
      Key: { organisation: organisationOf('device', unwatched), id: unwatched },
      UpdateExpression: 'SET #status = :online, presentIn = organisation, reportedAt = :past',
      ConditionExpression: 'attribute_exists(deviceId)',
      ExpressionAttributeNames: { '#status': 'status' },
      ExpressionAttributeValues: { ':online': 'online', ':past': new Date(unwatchedSince - 20_000).toISOString() },
    }),
  );
});

/** Devices by whether they are online, as the partner sees its fleet. */
async function statuses(): Promise<Readonly<Record<string, string>>> {
  const { body } = await partner.call('GET /v3/resources');
  const devices = body.resources.flatMap((each) => each.devices);
  return Object.fromEntries(devices.map((device) => [device.deviceId, device.status]));
}

const position = (altitude: number) => ({
  navigation: { position: { type: 'Point', coordinates: [8.55, 47.37, altitude] } },
});

/** Publishes ten samples a second; gives all of them. */
async function fly(publisher: Socket, seconds: number, state: object) {
  const samples = [];
  for (let count = 0; count < seconds * 10; count++) {
    const sample = sampleOf(deviceId, { ...position(500 + count), ...state });
    samples.push(sample);
    publisher.say({ action: 'publish', telemetry: sample });
    await pause(100);
  }
  return samples;
}

test('A device that reports ten times a second is said where it is once a second, on the channels of its group and of its running job.', async () => {
  const jobId = await givenJobThatIs('IN_PROGRESS', partner);
  const [onGroup, onJob, publisher] = await Promise.all([
    followFromSnapshot(partner, group),
    followFromSnapshot(partner, { kind: 'job', id: jobId }),
    openTelemetry(partner),
  ]);
  const begin = Date.now();
  const flown = await fly(publisher, 4, { jobId });
  await quiet();
  const seconds = (Date.now() - begin) / 1000;

  const altitudes = new Map(flown.map((sample) => [sample.timestamp, sample.navigation.position.coordinates[2]]));
  for (const [socket, type] of [
    [onGroup, 'device.status'],
    [onJob, 'job.status'],
  ] as const) {
    const positions = socket.messages.filter((message) => altitudes.has(String(message.timestamp)));
    for (const message of positions) {
      const altitude = altitudes.get(String(message.timestamp)) ?? 0;
      expect(message).toMatchObject({ type, deviceId, ...position(altitude) });
    }
    expect(positions.length).toBeGreaterThanOrEqual(3);
    expect(positions.length).toBeLessThanOrEqual(Math.ceil(seconds) + 1);
    const moments = positions.map(({ timestamp }) => String(timestamp));
    expect(moments).toEqual(moments.toSorted());
  }
  expect(onJob.messages.at(-1)).toMatchObject({ jobId, jobState: 'IN_PROGRESS', deviceGroupId });
});

test('The last known state stands behind a share, and an older sample does not overwrite it.', async () => {
  const publisher = await openTelemetry(partner);
  // What was kept last is a second old then.
  await pause(1100);
  const sample = sampleOf(deviceId, { ...position(612), battery: { percent: 44 } });
  await publish(publisher, sample);
  await pause(1100);
  const old = { ...sample, timestamp: new Date(Date.parse(sample.timestamp) - 500).toISOString(), battery: {} };
  expect(await ask(publisher, { action: 'publish', telemetry: old })).toEqual({ type: 'published', accepted: 0 });

  const { shareCode } = await givenShare(partner);
  const { body } = await partner.call('GET /v3/shares/{shareCode}/resources', { path: { shareCode } });
  const { deviceId: _, ...lastState } = sample;
  expect(body.resources).toMatchObject([{ deviceId, status: 'online', lastState }]);
});

/** The last known state of the device, as it stands behind a share. */
async function keptState(shareCode: string) {
  const { body } = await partner.call('GET /v3/shares/{shareCode}/resources', { path: { shareCode } });
  return (body.resources[0] as { lastState?: Record<string, unknown> }).lastState;
}

test('A change of its droneState, dockState or job is kept at once, however shortly it came after another sample.', async () => {
  const [publisher, { shareCode }] = await Promise.all([openTelemetry(partner), givenShare(partner)]);
  for (const change of [{ droneState: 'LANDED' }, { dockState: 'CLOSED' }, { jobId: 'none-of-ours' }]) {
    await pause(1100);
    const before = { droneState: 'HOVER', dockState: 'OPEN', jobId: 'another' };
    await publish(publisher, sampleOf(deviceId, before));
    await publish(publisher, sampleOf(deviceId, { ...before, ...change }));
    expect(await keptState(shareCode)).toMatchObject({ ...before, ...change });
  }
});

test('The last sample of a device is the one that stays, whenever it came; its group hears it, once a second at most.', async () => {
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
    expect(await keptState(shareCode)).toMatchObject({ timestamp: last.timestamp });
    const told = follower.messages.filter(({ timestamp }) => Date.parse(String(timestamp)) >= begun);
    expect(told.length).toBeLessThanOrEqual(Math.ceil((Date.now() - begun) / 1000) + 1);
  }
});

test('A device is online while it reports, and offline after 30 seconds of silence; its group is told of both, once.', async () => {
  const quietDevice = partner.credentials.deviceGroups[1]?.devices[0]?.deviceId ?? '';
  const quietGroup = partner.credentials.deviceGroups[1]?.deviceGroupId ?? '';
  const follower = await followFromSnapshot(partner, { kind: 'group', id: quietGroup });
  const publisher = await openTelemetry(partner);
  await subscribeTo(publisher, { deviceId: quietDevice });
  expect((await statuses())[quietDevice]).toBe('offline');

  await publish(publisher, sampleOf(quietDevice));
  await follower.like({ deviceId: quietDevice, status: 'online' });
  expect((await statuses())[quietDevice]).toBe('online');

  // It speaks once more, so that it is looked at a second time.
  await pause(5000);
  const spoke = Date.now();
  await publish(publisher, sampleOf(quietDevice));
  const changes = () =>
    follower.messages.filter((message) => message['deviceId'] === quietDevice && message.snapshot !== true);
  await pause(28_000);
  expect((await statuses())[quietDevice]).toBe('online');
  await until('going offline', () => (changes().at(-1)?.['status'] === 'offline' ? true : undefined));
  expect(Date.now() - spoke).toBeGreaterThanOrEqual(30_000);
  expect((await statuses())[quietDevice]).toBe('offline');
  await quiet();
  expect(changes().map((message) => message['status'])).toEqual(['online', 'online', 'offline']);

  await publish(publisher, sampleOf(quietDevice));
  await until('coming back', () => (changes().at(-1)?.['status'] === 'online' ? true : undefined));
});

test('A device that nobody watches, for a message was lost, goes offline within a minute of its silence all the same.', async () => {
  const deadline = unwatchedSince + 10_000 + 60_000 + 10_000;
  while ((await statuses())[unwatched] !== 'offline' && Date.now() < deadline) await pause(500);
  expect((await statuses())[unwatched]).toBe('offline');
}, 90_000);
