import { MAX_TRACK_POINTS } from '../../../contract/telemetry/max-track-points';
import { GetCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { handler } from '../../../lambdas/shares/flight.lambda';
import { jobToItem } from '../../../data/jobs/jobs';
import { MAX_ROUTE_POINTS } from '../../../domain/shares/route';
import { acme, id, rival, sampleJob } from '../../domain/fixtures/samples';
import { store } from '../../data/fixtures/store';
import { givenPartner, givenViewer, refused } from '../fixtures/actions';
import { sendMessage } from '../fixtures/socket';
import { deviceItem } from '../fixtures/telemetry';

const message = { action: 'flight', id: 1 };
const now = Date.now();
const at = (seconds: number) => new Date(now + seconds * 1000).toISOString();
const position = (altitude: number) => ({ position: { type: 'Point', coordinates: [8.5, 47.4, altitude] } });

/** Stores the shared device with its last state. */
const givenDevice = (state: object, change: object = {}) =>
  store.on(GetCommand, { TableName: 'fleet' }).resolves({
    Item: deviceItem(id('device'), {
      name: 'Kestrel 1',
      lastState: JSON.stringify({ timestamp: at(-1), ...state }),
      ...change,
    }),
  });
/** Stores positions: Unix milliseconds, longitude, latitude, altitude, ground speed. */
const givenPoints = (...points: readonly number[][]) =>
  store.on(QueryCommand, { TableName: 'flights' }).resolves({
    Items: points
      .map(([ms = 0, longitude, latitude, altitude, groundSpeed]) => ({
        flight: id('device'),
        deviceId: id('device'),
        second: ms / 1000,
        ttl: 4e9,
        ms,
        longitude,
        latitude,
        altitude,
        groundSpeed,
        droneState: 'WAYPOINT',
      }))
      .toSorted((one, other) => other.ms - one.ms),
  });
const takeOff = { timestamp: at(-60), altitude: 440 };

describe('flight', () => {
  test('answers with the device, its job, its take-off and its track up to the last known position', async () => {
    givenDevice({ droneState: 'WAYPOINT', jobId: id('job'), navigation: position(490) }, { takeOff });
    store.on(GetCommand, { TableName: 'jobs' }).resolves({
      Item: {
        organisation: acme,
        jobId: id('job'),
        name: 'Roof survey',
        deviceGroupId: id('group'),
        status: 'IN_PROGRESS',
        priority: 5,
        version: 1,
        createdAt: at(-90),
        updatedAt: at(-90),
      },
    });
    givenPoints([now - 30_000, 8.5, 47.4, 470, 12.5], [now - 50_000, 8.5, 47.4, 450]);
    expect(await sendMessage(handler, givenViewer(), message)).toEqual({
      type: 'share.flight',
      deviceName: 'Kestrel 1',
      jobName: 'Roof survey',
      takeOff,
      track: [
        { timestamp: at(-50), coordinates: [8.5, 47.4, 450] },
        { timestamp: at(-30), coordinates: [8.5, 47.4, 470], groundSpeed: 12.5 },
        { timestamp: at(-1), coordinates: [8.5, 47.4, 490] },
      ],
      id: 1,
    });
  });

  test.each<[when: string, measured: object, track: string[]]>([
    ['at the last report', {}, [at(-30), at(-1)]],
    ['before it, and is recorded', { 'navigation.position': 29 }, [at(-30)]],
    ['in flight', { 'navigation.position': 10 }, [at(-30), at(-11)]],
    ['before the take-off', { 'navigation.position': 60 }, [at(-30)]],
  ])('answers with a track of the flight, if the known position was measured %s', async (_, measuredBefore, track) => {
    givenDevice({ droneState: 'WAYPOINT', navigation: position(490), measuredBefore }, { takeOff });
    givenPoints([now - 30_000, 8.5, 47.4, 470]);
    const reply = await sendMessage(handler, givenViewer(), message);
    expect((reply['track'] as { timestamp: string }[]).map(({ timestamp }) => timestamp)).toEqual(track);
  });

  test('answers with the place of its job and the way there from where the flight began', async () => {
    givenDevice({ droneState: 'WAYPOINT', jobId: id('job'), navigation: position(490) }, { takeOff });
    const desiredLocation = { type: 'Point' as const, coordinates: [8.6, 47.5] as [number, number] };
    const job = sampleJob({ status: 'IN_PROGRESS', desiredLocation, actionOnArrival: 'HOVER' });
    store.on(GetCommand, { TableName: 'jobs' }).resolves({ Item: jobToItem(acme, job) });
    givenPoints([now - 50_000, 8.51, 47.41, 450]);
    expect(await sendMessage(handler, givenViewer(), message)).toMatchObject({
      place: { coordinates: [8.6, 47.5], actionOnArrival: 'HOVER' },
      route: [
        [8.51, 47.41],
        [8.6, 47.5],
      ],
    });
  });

  test.each([
    ['is on the ground', { droneState: 'DOCKED', navigation: position(440) }, {}],
    ['has no state', {}, { lastState: undefined, takeOff }],
    [
      'has been silent for a day',
      { timestamp: at(-86_401), droneState: 'HOVER', navigation: position(490) },
      { takeOff },
    ],
  ])('answers with an empty track for a device that %s, without reading one', async (_, state, change) => {
    givenDevice(state, change);
    expect(await sendMessage(handler, givenViewer(), message)).toEqual({
      type: 'share.flight',
      deviceName: 'Kestrel 1',
      track: [],
      id: 1,
    });
    expect(store).not.toHaveReceivedCommand(QueryCommand);
  });

  test.each([id('job', rival), 'job-of-the-partner'])(
    'does not read the job %s, which is not the organisation’s',
    async (jobId) => {
      givenDevice({ droneState: 'DOCKED', jobId });
      expect(await sendMessage(handler, givenViewer(), message)).not.toHaveProperty('jobName');
      expect(store.commandCalls(GetCommand, { TableName: 'jobs' })).toHaveLength(0);
    },
  );

  test('fits into one frame of 32 KB with the longest names and id, and the most and longest points', async () => {
    const widest = '\u0001'.repeat(256);
    const longest = { type: 'Point', coordinates: [-179.1234567, -89.1234567, 19_999.87] };
    const navigation = { position: longest, velocity: { groundSpeed: 199.87 } };
    givenDevice(
      { droneState: 'HOVER', jobId: id('job'), navigation },
      { name: widest, takeOff: { ...takeOff, timestamp: at(-86_000) } },
    );
    store.on(GetCommand, { TableName: 'jobs' }).resolves({
      Item: {
        organisation: acme,
        jobId: id('job'),
        name: widest,
        deviceGroupId: id('group'),
        status: 'IN_PROGRESS',
        priority: 5,
        version: 1,
        createdAt: at(-90),
        updatedAt: at(-90),
      },
    });
    givenPoints(
      ...Array.from({ length: 3 * MAX_TRACK_POINTS }, (_, index) => [
        now - 80_000_000 + index * 5000,
        -179.123456,
        -89.123456,
        19_999.9,
        199.9,
      ]),
    );
    const reply = await sendMessage(handler, givenViewer(), { action: 'flight', id: '\u0001'.repeat(128) });
    const route = Array.from({ length: MAX_ROUTE_POINTS }, () => [-179.123456, -89.123456]);
    const place = { coordinates: route[0], actionOnArrival: 'MISSION' };
    expect(reply['track']).toHaveLength(MAX_TRACK_POINTS);
    expect(Buffer.byteLength(JSON.stringify({ ...reply, place, route }))).toBeLessThan(32 * 1024);
  });

  test('is refused to partners', async () => {
    expect(await sendMessage(handler, givenPartner(), message)).toEqual({
      ...refused('forbidden', { path: 'action', message: 'is only for viewers of a share' }),
      id: 1,
    });
  });

  test.each([
    ['of a share that has ended', () => store.on(GetCommand, { TableName: 'shares' }).resolves({})],
    ['of a device that was removed', () => store.on(GetCommand, { TableName: 'fleet' }).resolves({})],
    [
      'of a suspended organisation',
      () => store.on(GetCommand, { Key: { clientId: `org-${acme}` } }).resolves({ Item: { status: 'suspended' } }),
    ],
  ])('is refused to a viewer %s', async (_, given) => {
    given();
    expect(await sendMessage(handler, givenViewer(), message)).toEqual({ ...refused('share_not_found'), id: 1 });
  });
});
