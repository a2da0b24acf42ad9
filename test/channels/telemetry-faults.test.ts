import { clients } from '../api/client';
import { fleetOf, nobodys } from '../api/given';
import { ask, openTelemetry, publish, publishAgain, sampleOf, samplesIn, subscribeTo } from './telemetry-socket';
import type { Socket } from './socket';
import { quiet } from './until';

const [partner, publisher = partner, follower = partner] = clients('telemetry-faults');
const [foreign] = clients('stranger');
const { deviceId, deviceGroupId } = fleetOf(partner);
const other = fleetOf(foreign);

let socket: Socket;
beforeEach(async () => {
  socket = await openTelemetry(partner);
});
/** Invalid messages never close the socket. */
const expectOpen = async () => expect(await ask(socket, { action: 'ping' })).toMatchObject({ type: 'pong' });
const position = (...coordinates: unknown[]) => ({ navigation: { position: { type: 'Point', coordinates } } });

describe('Publishing', () => {
  test.each([
    ['a longitude beyond 180', position(180.1, 47, 500), 'navigation.position.coordinates.0'],
    ['a latitude beyond 90', position(8, -90.1, 500), 'navigation.position.coordinates.1'],
    ['an altitude beyond 20 km', position(8, 47, 20_001), 'navigation.position.coordinates.2'],
    ['a heading beyond 360', { navigation: { orientation: { heading: 361 } } }, 'navigation.orientation.heading'],
    ['a negative speed', { navigation: { velocity: { groundSpeed: -1 } } }, 'navigation.velocity.groundSpeed'],
    ['more than a full battery', { battery: { percent: 101 } }, 'battery.percent'],
    ['a humidity as text', { weather: { humidity: '60' } }, 'weather.humidity'],
    ['no timestamp', { timestamp: undefined }, 'timestamp'],
    ['a timestamp without an offset', { timestamp: '2026-11-27T10:30:15' }, 'timestamp'],
    ['a sensor payload over 8 KiB', { sensorPayload: { x: 'x'.repeat(8192) } }, 'sensorPayload'],
  ])('%s is an error that names it, and the socket stays open', async (_, state, path) => {
    const answer = await ask(socket, { action: 'publish', telemetry: sampleOf(deviceId, state) });
    expect(answer).toMatchObject({ type: 'error', error: 'invalid_request' });
    expect(answer['details']).toMatchObject([{ path: `telemetry.0.${path}` }]);
    await expectOpen();
  });

  test('a timestamp more than 60 seconds ahead is an error; one 50 seconds ahead is not', async () => {
    const ahead = (ms: number) => new Date(Date.now() + ms).toISOString();
    const tooFar = await ask(socket, { action: 'publish', telemetry: { deviceId, timestamp: ahead(70_000) } });
    expect(tooFar['details']).toEqual([
      { path: 'telemetry.0.timestamp', message: 'is more than 60 seconds in the future' },
    ]);
    const device = partner.credentials.deviceGroups[1]?.devices[1]?.deviceId ?? '';
    await publish(socket, { deviceId: device, timestamp: ahead(50_000) });
  });

  test('an unknown field is an error that names it', async () => {
    const answer = await ask(socket, { action: 'publish', telemetry: sampleOf(deviceId, { speeed: 3 }) });
    expect(answer['details']).toEqual([{ path: 'telemetry.0.speeed', message: 'unknown field' }]);
  });

  test("for another organisation's device, or an unknown one, is an error and delivered to no follower", async () => {
    const theirs = await openTelemetry(foreign);
    await subscribeTo(theirs, { deviceId: other.deviceId });
    for (const id of [other.deviceId, nobodys(deviceId), deviceGroupId, 'x']) {
      const answer = await ask(socket, { action: 'publish', telemetry: sampleOf(id) });
      expect(answer['details']).toEqual([{ path: 'telemetry.0.deviceId', message: 'is not a device of yours' }]);
    }
    await quiet();
    expect(samplesIn(theirs, other.deviceId)).toEqual([]);
    await expectOpen();
  });

  test('of a list the invalid samples are refused by name, and the others are delivered', async () => {
    await subscribeTo(socket, { deviceId });
    const valid = sampleOf(deviceId);
    const ahead = { deviceId, timestamp: new Date(Date.now() + 70_000).toISOString() };
    const telemetry = [sampleOf(deviceId, { battery: { percent: -1 } }), sampleOf(other.deviceId), ahead, valid, null];
    expect(await ask(socket, { action: 'publish', telemetry })).toEqual({
      type: 'published',
      accepted: 1,
      recorded: 0,
      refused: [
        { index: 0, path: 'telemetry.0.battery.percent', message: 'must be 0 or more' },
        { index: 1, path: 'telemetry.1.deviceId', message: 'is not a device of yours' },
        { index: 2, path: 'telemetry.2.timestamp', message: 'is more than 60 seconds in the future' },
        { index: 4, path: 'telemetry.4', message: expect.any(String) as string },
      ],
    });
    await socket.like({ deviceId, timestamp: valid.timestamp });
    expect(samplesIn(socket, deviceId)).toHaveLength(1);
  });

  test('a list of repeats is published, and none of it accepted', async () => {
    const samples = [sampleOf(deviceId), sampleOf(deviceId)];
    await publish(socket, ...samples);
    expect(await publishAgain(socket, ...samples)).toEqual({
      type: 'published',
      accepted: 0,
      recorded: 0,
    });
  });

  test("a sample of another organisation's job is refused, and one of an unknown job counts", async () => {
    const foreignJob = (await foreign.call('POST /v3/jobs/create', {
      body: { name: 'Survey', deviceGroupId: foreign.credentials.deviceGroups[0]?.deviceGroupId },
    })) as { body: { job: { jobId: string } } };
    const telemetry = [
      sampleOf(deviceId, { jobId: foreignJob.body.job.jobId }),
      sampleOf(deviceId, { jobId: 'unknown' }),
    ];
    expect(await ask(socket, { action: 'publish', telemetry })).toMatchObject({
      accepted: 1,
      refused: [{ index: 0, path: 'telemetry.0.jobId', message: 'is not a job of yours' }],
    });
  });

  test.each([
    ['a member twice', (id: string) => `"telemetry":{${id},"droneState":"A","droneState":"A"}`, 'telemetry.droneState'],
    ['an overflow', (id: string) => `"telemetry":{${id},"sensorPayload":{"a":1e400}}`, 'telemetry.0.sensorPayload.a'],
    ['an integer that would be rounded', (id: string) => `"id":1610521604143693812,"telemetry":{${id}}`, 'id'],
    ['10,000 levels', () => `"telemetry":${'['.repeat(10_000)}${']'.repeat(10_000)}`, ''],
  ])('a message with %s is an error that names it, and nothing is delivered', async (_, message, path) => {
    await subscribeTo(socket, { deviceId });
    const sample = `"deviceId":"${deviceId}","timestamp":"${sampleOf(deviceId).timestamp}"`;
    socket.send(`{"action":"publish",${message(sample)}}`);
    expect(await socket.like({ type: 'error' })).toMatchObject({ error: 'invalid_request', details: [{ path }] });
    expect(samplesIn(socket, deviceId)).toEqual([]);
    await expectOpen();
  });

  test.each([
    ['subscribe', 'must be true or false', 'yes'],
    ['unsubscribe', 'unknown field', true],
    ['publish', 'unknown field', true],
  ])(
    'a batch asked for with %s, where there is none or as no truth value, is an error that names it',
    async (action, message, batch) => {
      const fields = action === 'publish' ? { telemetry: sampleOf(deviceId) } : { deviceId };
      expect(await ask(socket, { action, ...fields, batch })).toMatchObject({
        type: 'error',
        details: [{ path: 'batch', message: expect.stringContaining(message) as string }],
      });
    },
  );

  test.each([[[]], [Array.from({ length: 41 }, () => ({}))], [null], ['x']])(
    'an empty list, one of over 40 samples, or no list at all is an error: %#',
    async (telemetry) => {
      expect(await ask(socket, { action: 'publish', telemetry })).toMatchObject({ error: 'invalid_request' });
    },
  );

  test('more than 32 kB is accepted in several frames', async () => {
    const sensorPayload = { own: 'x'.repeat(6000) };
    const telemetry = Array.from({ length: 10 }, () => sampleOf(deviceId, { sensorPayload }));
    const text = JSON.stringify({ action: 'publish', telemetry, id: 'large' });
    for (let from = 0; from < text.length; from += 30_000)
      socket.socket.send(text.slice(from, from + 30_000), { fin: from + 30_000 >= text.length });
    expect(await socket.like({ id: 'large' })).toMatchObject({ type: 'published', accepted: 10 });
  });

  test('over 128 kB closes the socket, and no other', async () => {
    const neighbour = await openTelemetry(partner);
    const text = JSON.stringify({
      action: 'publish',
      telemetry: sampleOf(deviceId, { jobId: 'x'.repeat(128 * 1024) }),
    });
    // A frame may have at most 32 kB.
    for (let from = 0; from < text.length; from += 30_000)
      socket.socket.send(text.slice(from, from + 30_000), { fin: from + 30_000 >= text.length });
    expect(await socket.closed).toMatchObject({ code: 1009 });
    expect(await ask(neighbour, { action: 'ping' })).toMatchObject({ type: 'pong' });
  });
});

describe('Subscribing', () => {
  test.each([
    ["another organisation's device", { deviceId: other.deviceId }, 'Forbidden'],
    ["another organisation's group", { deviceGroupId: other.deviceGroupId }, 'Forbidden'],
    ['an unknown device', { deviceId: nobodys(deviceId) }, 'Resource not found'],
    ['an unknown group', { deviceGroupId: nobodys(deviceGroupId) }, 'Device group not found'],
    ['a group as a device', { deviceId: deviceGroupId }, 'Resource not found'],
    ['nothing', {}, 'invalid_request'],
    ['both', { deviceId, deviceGroupId }, 'invalid_request'],
    ['an unknown field', { deviceId, since: 0 }, 'invalid_request'],
  ])('to %s is an error, delivers nothing, and the socket stays open', async (_, named, error) => {
    expect(await ask(socket, { action: 'subscribe', ...named })).toMatchObject({ type: 'error', error });
    const theirs = await openTelemetry(foreign);
    await publish(theirs, sampleOf(other.deviceId));
    await quiet();
    expect(socket.messages.filter(({ type }) => type === 'device.telemetry')).toEqual([]);
    await expectOpen();
  });
});

test('what a client with one scope publishes reaches one with the other', async () => {
  const [publishing, following] = [await openTelemetry(publisher), await openTelemetry(follower)];
  await subscribeTo(following, { deviceId });
  const sample = sampleOf(deviceId);
  await publish(publishing, sample);
  await following.like({ timestamp: sample.timestamp });
});
