import { MAX_RECORDED_POINTS, readFlight, readTrack, recordPosition } from '../../../data/telemetry/flights';
import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import type { RecordedPoint } from '../../../domain/telemetry/flight-record';
import type { RecordEntry } from '../../../domain/fleet/sample-decision';
import { acme, id } from '../../domain/fixtures/samples';
import { storeOnEngine } from '../fixtures/engine';
import { onlyCommand, sent, store } from '../fixtures/store';

const engine = storeOnEngine('flights');
const BEGIN = Date.parse('2026-11-27T10:30:00.000Z') / 1000;
const now = new Date((BEGIN + 60) * 1000);
const at = (seconds: number) => new Date((BEGIN + seconds) * 1000).toISOString();
const point = (seconds: number, change: Partial<RecordedPoint> = {}): RecordedPoint => ({
  deviceId: id('device'),
  timestamp: at(seconds),
  coordinates: [8.541694, 47.376887, 485.5],
  ...change,
});
const entry = (seconds: number, change: Partial<RecordedPoint> = {}): RecordEntry => ({
  sample: { deviceId: id('device'), timestamp: at(seconds) },
  flight: id('job'),
  kind: 'job',
  point: point(seconds, change),
  everySeconds: 1,
  since: at(-60),
});
beforeAll(() => {
  process.env['FLIGHT_RETENTION_DAYS'] = '90';
});
const item = (seconds: number, change: object = {}) => ({
  flight: id('job'),
  second: Math.floor(BEGIN + seconds),
  ttl: Math.ceil(BEGIN + seconds) + 86_400,
  deviceId: id('device'),
  ms: (BEGIN + seconds) * 1000,
  longitude: 8.541694,
  latitude: 47.376887,
  altitude: 485.5,
  ...change,
});

describe('recordPosition', () => {
  const recorded = async (flight = id('job')) =>
    (await engine.all('flights'))
      .filter((each) => each['flight'] === flight)
      .map((each) => (Number(each['ms']) - BEGIN * 1000) / 1000);

  test('writes an item of its second, which expires', async () => {
    const known = { groundSpeed: 12.5, verticalSpeed: -1, heading: 270, droneState: 'WAYPOINT', batteryPercent: 81 };
    await expect(recordPosition(entry(57.25, known))).resolves.toBe(true);
    const [written] = await engine.all('flights');
    expect(written).toEqual({ ...item(57.25, known), ttl: BEGIN + 58 + 90 * 86_400, second: written?.['second'] });
    expect(Math.floor(Number(written?.['second']))).toBe(BEGIN + 57);
  });

  test('writes an item of less than a kilobyte for the longest position', async () => {
    const longest: RecordedPoint = {
      deviceId: id('device', acme, 'x'.repeat(64)),
      timestamp: at(0.123),
      droneState: '\u{1F681}'.repeat(32),
      coordinates: [-179.123456, -89.123456, 19_999.9],
      groundSpeed: 199.9,
      verticalSpeed: -199.9,
      heading: 359.9,
      batteryPercent: 99.9,
    };
    await recordPosition({ ...entry(0), flight: id('job', acme, 'x'.repeat(64)), point: longest });
    // More than DynamoDB counts: names and values, without quotes and braces.
    expect(Buffer.byteLength(JSON.stringify(await engine.all('flights')))).toBeLessThan(1000);
  });

  test.each([
    ['keeps the earliest of a second', {}, [0.5, 0.2, 0.9], [0.2], [true, true, false]],
    ['keeps what is repeated', {}, [0.5, 0.5], [0.5], [true, false]],
    ['keeps one of each second', {}, [0.9, 1], [0.9, 1], [true, true]],
    ['replaces what was before the flight', { since: at(0.4) }, [0.2, 0.6, 0.5], [0.5], [true, true, true]],
    ['keeps the first while the flight has not begun', { since: undefined }, [0.5, 0.2], [0.5], [true, false]],
    [
      'keeps one of five seconds of a device',
      { kind: 'device', everySeconds: 5 },
      [4, 0, 5],
      [0, 5],
      [true, true, true],
    ],
  ] as const)('%s: %j, %j', async (_, change, seconds, kept, results) => {
    const outcomes: boolean[] = [];
    for (const each of seconds) outcomes.push(await recordPosition({ ...entry(each), ...change }));
    expect([await recorded(), outcomes]).toEqual([kept, results]);
  });

  test('keeps the positions of all devices that fly a job', async () => {
    const others = [1, 2, 3].map((number) => id('device', acme, String(number).padStart(26, '0')));
    for (const deviceId of others) await recordPosition(entry(0, { deviceId }));
    expect((await readFlight(id('job'), new Date())).map(({ deviceId }) => deviceId).sort()).toEqual(others);
  });
});

describe('readFlight', () => {
  test('reads the whole record, oldest first, and no other one', async () => {
    await engine.put('flights', item(2, { heading: 90 }), item(0.25), { ...item(1), flight: id('device') });
    expect(await readFlight(id('job'), now)).toEqual([point(0.25), point(2, { heading: 90 })]);
  });

  test('leaves out what has expired, even if DynamoDB has not deleted it yet', async () => {
    await engine.put('flights', item(1, { ttl: BEGIN + 60 }), item(2, { ttl: BEGIN + 61 }));
    expect(await readFlight(id('job'), now)).toEqual([point(2)]);
  });

  test('goes on after a full page', async () => {
    const LastEvaluatedKey = { flight: id('job'), second: BEGIN + 2 };
    store
      .on(QueryCommand)
      .resolvesOnce({ Items: [item(3), item(2)], LastEvaluatedKey })
      .resolves({ Items: [item(1)] });
    expect(await readFlight(id('job'), now)).toEqual([point(1), point(2), point(3)]);
    expect(sent().map(({ ExclusiveStartKey, Limit }) => [ExclusiveStartKey, Limit])).toEqual([
      [undefined, MAX_RECORDED_POINTS],
      [LastEvaluatedKey, MAX_RECORDED_POINTS - 2],
    ]);
  });

  test('ends with ten hours, however long the flight', async () => {
    const Items = Array.from({ length: MAX_RECORDED_POINTS / 2 }, (_, index) => item(-index));
    store.on(QueryCommand).resolves({ Items, LastEvaluatedKey: { flight: id('job'), second: 0 } });
    expect(await readFlight(id('job'), now)).toHaveLength(36_000);
    expect(sent()).toHaveLength(2);
  });

  test('leaves out an item that cannot be read', async () => {
    const logged = jest.spyOn(console, 'error').mockReturnValue(undefined);
    store.on(QueryCommand).resolves({ Items: [item(1), item(0, { ms: 'x' })] });
    expect(await readFlight(id('job'), now)).toEqual([point(1)]);
    expect(logged).toHaveBeenCalledTimes(1);
    logged.mockRestore();
  });
});

describe('readTrack', () => {
  test('reads the intervals between two times, and returns the positions between them', async () => {
    store.on(QueryCommand).resolves({ Items: [62, 58, 12, 11].map((seconds) => item(seconds)) });
    expect(await readTrack(id('device'), at(12), at(58), now)).toEqual([point(12), point(58)]);
    expect(onlyCommand()['ExpressionAttributeValues']).toEqual({
      ':flight': id('device'),
      ':from': BEGIN + 10,
      ':to': BEGIN + 55,
      ':now': BEGIN + 60,
    });
  });

  test('leaves out what has expired, even if DynamoDB has not deleted it yet', async () => {
    const ofDevice = { flight: id('device') };
    await engine.put('flights', item(10, { ...ofDevice, ttl: BEGIN + 60 }), item(15, { ...ofDevice, ttl: BEGIN + 61 }));
    expect(await readTrack(id('device'), at(0), at(58), now)).toEqual([point(15)]);
  });
});
