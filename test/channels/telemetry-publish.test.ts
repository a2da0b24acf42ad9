import { clients } from '../api/client';
import { fullSample } from '../domain/fixtures/samples';
import { iso } from '../api/iso';
import type { Message } from './message-log';
import { ask, openTelemetry, publish, sampleOf, samplesIn, subscribeTo } from './telemetry-socket';
import { quiet, until } from './until';

const [partner] = clients('telemetry-publish');
const [north, south] = partner.credentials.deviceGroups.map(({ deviceGroupId, devices }) => ({
  deviceGroupId,
  devices: devices.map(({ deviceId }) => deviceId) as [string, string],
}));
if (!north || !south) throw new Error('an onboarded organisation has two groups');
const [kestrel, heron] = north.devices;
const [osprey, stork] = south.devices;

const state = {
  droneState: 'WAYPOINT',
  dockState: 'OPEN',
  navigation: {
    position: { type: 'Point', coordinates: [-122.4194, 37.7749, 85.5] },
    orientation: { heading: 270.5, pitch: -2.1, roll: 0.3 },
    velocity: { groundSpeed: 12.5, verticalSpeed: -0.5 },
  },
  battery: { percent: 81, voltage: 47.1, remainingFlightTime: 1260 },
  sensorPayload: { camera: { orientation: { pitch: -45 } }, gas: { ch4: 1.9 } },
  weather: { windSpeed: 4, windDirection: 200, temperature: 11, humidity: 60, rain: 0 },
  simulated: true,
};

describe('A follower of a device', () => {
  test('receives each sample as it was published, and none of another device', async () => {
    const [follower, publisher] = await Promise.all([openTelemetry(partner), openTelemetry(partner)]);
    await subscribeTo(follower, { deviceId: kestrel });
    const sample = sampleOf(kestrel, state);
    await publish(publisher, sampleOf(heron), sample, sampleOf(osprey));
    expect(await follower.like({ timestamp: sample.timestamp })).toEqual({
      type: 'device.telemetry',
      ...sample,
      deviceGroupId: north.deviceGroupId,
      sequence: Date.parse(sample.timestamp),
      receivedAt: iso,
    });
    await quiet();
    expect([kestrel, heron, osprey].map((deviceId) => samplesIn(follower, deviceId).length)).toEqual([1, 0, 0]);
    expect(publisher.messages).toHaveLength(1);
  });

  test('receives the samples of a list in the order of their timestamps', async () => {
    const [follower, publisher] = await Promise.all([openTelemetry(partner), openTelemetry(partner)]);
    await subscribeTo(follower, { deviceId: kestrel });
    const samples = Array.from({ length: 40 }, () => sampleOf(kestrel));
    await publish(publisher, ...samples.toReversed());
    await follower.like({ timestamp: samples.at(-1)?.timestamp });
    expect(samplesIn(follower, kestrel).map(({ timestamp }) => timestamp)).toEqual(
      samples.map(({ timestamp }) => timestamp),
    );
  });

  test('receives all samples of the largest allowed list of full samples, sent in one frame', async () => {
    const [follower, publisher] = await Promise.all([openTelemetry(partner), openTelemetry(partner)]);
    await subscribeTo(follower, { deviceId: kestrel });
    const { deviceId: _, timestamp: __, jobId: ___, ...state } = fullSample;
    const samples = Array.from({ length: 40 }, () => sampleOf(kestrel, { ...state, jobId: 'x'.repeat(64) }));
    expect(await ask(publisher, { action: 'publish', telemetry: samples })).toMatchObject({
      type: 'published',
      accepted: 40,
    });
    await follower.like({ timestamp: samples.at(-1)?.timestamp });
    expect(samplesIn(follower, kestrel)).toHaveLength(40);
  });

  test('first receives its last known state, if it ever reported', async () => {
    const publisher = await openTelemetry(partner);
    const sample = sampleOf(stork, state);
    await publish(publisher, sample);
    const follower = await openTelemetry(partner);
    await subscribeTo(follower, { deviceId: stork });
    expect(await follower.like({ snapshot: true })).toEqual({
      type: 'device.telemetry',
      ...sample,
      deviceGroupId: south.deviceGroupId,
      sequence: Date.parse(sample.timestamp),
      receivedAt: iso,
      snapshot: true,
      age: expect.any(Number) as number,
    });
  });

  test('that asked for batches receives the samples of a message as one, in order, and a single one as ever', async () => {
    const [follower, publisher] = await Promise.all([openTelemetry(partner), openTelemetry(partner)]);
    await subscribeTo(follower, { deviceGroupId: north.deviceGroupId, batch: true });
    const single = sampleOf(kestrel);
    await publish(publisher, single);
    await follower.like({ type: 'device.telemetry', timestamp: single.timestamp });
    const samples = [sampleOf(kestrel), sampleOf(heron), sampleOf(kestrel)];
    await publish(publisher, ...samples.toReversed());
    const { samples: batch } = (await follower.like({ type: 'device.telemetry.batch' })) as { samples?: Message[] };
    expect(batch?.map(({ type }) => type)).toEqual(Array(3).fill('device.telemetry'));
    const own = (id: string) => batch?.filter(({ deviceId }) => deviceId === id).map(({ timestamp }) => timestamp);
    expect([own(kestrel), own(heron)]).toEqual([
      [samples[0]?.timestamp, samples[2]?.timestamp],
      [samples[1]?.timestamp],
    ]);
  });

  test('receives nothing after unsubscribing', async () => {
    const [follower, publisher] = await Promise.all([openTelemetry(partner), openTelemetry(partner)]);
    await subscribeTo(follower, { deviceId: kestrel });
    await subscribeTo(follower, { deviceId: heron });
    const unsubscribed = await ask(follower, { action: 'unsubscribe', deviceId: kestrel });
    expect(unsubscribed).toEqual({ type: 'unsubscribed', deviceId: kestrel });
    await publish(publisher, sampleOf(kestrel));
    await publish(publisher, sampleOf(heron));
    await follower.like({ deviceId: heron, type: 'device.telemetry' });
    expect(samplesIn(follower, kestrel)).toEqual([]);
  });
});

describe('A follower of a device group', () => {
  test('receives samples of each of its devices once, even if it also follows the device, and of no other', async () => {
    const [follower, publisher] = await Promise.all([openTelemetry(partner), openTelemetry(partner)]);
    await subscribeTo(follower, { deviceGroupId: north.deviceGroupId });
    await subscribeTo(follower, { deviceId: kestrel });
    const samples = [sampleOf(kestrel), sampleOf(osprey), sampleOf(heron)];
    await publish(publisher, ...samples);
    await follower.like({ timestamp: samples[2]?.timestamp });
    await follower.like({ timestamp: samples[0]?.timestamp });
    await quiet();
    // The delivery of an earlier test's sample may find this follower.
    const isSame = (timestamp: string) => (message: Message) => message.timestamp === timestamp;
    const counts = samples.map(
      ({ deviceId, timestamp }) => samplesIn(follower, deviceId).filter(isSame(timestamp)).length,
    );
    expect(counts).toEqual([1, 0, 1]);
  });

  test('first receives the last known state of each of its devices that ever reported', async () => {
    const publisher = await openTelemetry(partner);
    for (const deviceId of north.devices) await publish(publisher, sampleOf(deviceId));
    const follower = await openTelemetry(partner);
    await subscribeTo(follower, { deviceGroupId: north.deviceGroupId });
    for (const deviceId of north.devices) await follower.like({ deviceId, snapshot: true });
  });
});

describe('A sample', () => {
  test.each([
    ['older than', -1, 'TAKE_OFF'],
    ['with the same timestamp as', 0, 'LANDING'],
  ])('%s the last one is not counted as accepted, and not delivered', async (_, ms, droneState) => {
    const [follower, publisher] = await Promise.all([openTelemetry(partner), openTelemetry(partner)]);
    await subscribeTo(follower, { deviceId: osprey });
    // A droneState that no sample before had is stored at once: any instance of the function knows it then.
    const first = { ...sampleOf(osprey), droneState };
    await publish(publisher, first);
    const old = { ...first, timestamp: new Date(Date.parse(first.timestamp) + ms).toISOString(), droneState: 'OLD' };
    const answer = await ask(publisher, { action: 'publish', telemetry: old });
    expect(answer).toMatchObject({ type: 'published', accepted: 0 });
    const next = sampleOf(osprey);
    await publish(publisher, next);
    await follower.like({ timestamp: next.timestamp });
    expect(samplesIn(follower, osprey)).toHaveLength(2);
  });

  test('is delivered to its publisher too, if it follows the device', async () => {
    const both = await openTelemetry(partner);
    await subscribeTo(both, { deviceId: osprey });
    const sample = sampleOf(osprey);
    await publish(both, sample);
    const received = await both.like({ timestamp: sample.timestamp, type: 'device.telemetry' });
    expect(received['deviceId']).toBe(osprey);
  });
});

test.each([[7], ['seven'], ['x'.repeat(128)]])('the id %j of a message is in its answer', async (id) => {
  const socket = await openTelemetry(partner);
  const messages = [
    { action: 'subscribe', deviceId: kestrel, id },
    { action: 'unsubscribe', deviceId: kestrel, id },
    { action: 'publish', telemetry: sampleOf(heron), id },
    { action: 'publish', telemetry: {}, id },
    { action: 'ping', id },
    { action: 'fly', id },
  ];
  for (const message of messages) {
    const answers = () => socket.messages.filter((answer) => 'id' in answer);
    const before = answers().length;
    socket.send(message);
    // What a subscription begins with may come in between.
    await until('the answer', () => answers()[before]);
    expect(answers()[before]).toMatchObject({ id });
  }
});

test('an id with a thousand levels is refused by every action with an error, and the socket stays open', async () => {
  const socket = await openTelemetry(partner);
  const id = `${'['.repeat(1000)}${']'.repeat(1000)}`;
  for (const action of ['subscribe', 'publish', 'ping', 'fly']) {
    const before = socket.texts.length;
    socket.send(`{"action":"${action}","id":${id}}`);
    const answer = await until(`an answer to ${action}`, () => socket.messages[before]);
    const details = [{ path: '', message: 'must not be nested deeper than 64 levels' }];
    expect(answer).toMatchObject({ error: 'invalid_request', details });
  }
  expect(await ask(socket, { action: 'ping' })).toMatchObject({ type: 'pong' });
});
