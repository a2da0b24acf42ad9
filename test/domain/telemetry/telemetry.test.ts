import { sample } from '../../../domain/telemetry/reported-sample';
import { ageAt, sampleSequence } from '../../../domain/telemetry/sample';
import { id } from '../fixtures/samples';
import { fc } from '../../property-runs';

const timestamp = '2026-11-27T10:30:15.123Z';
const least = { deviceId: id('device'), timestamp };
const position = (...coordinates: unknown[]) => ({ navigation: { position: { type: 'Point', coordinates } } });
const issuesOf = (state: object) => sample.safeParse({ ...least, ...state }).error?.issues ?? [];
const accepts = (state: object) => sample.safeParse({ ...least, ...state }).success;

test('a sample needs a device and a timestamp, and nothing else', () => {
  expect(sample.parse(least)).toEqual(least);
  expect(sample.safeParse({ timestamp }).success).toBe(false);
  expect(sample.safeParse({ deviceId: least.deviceId }).success).toBe(false);
});

test('a sample with every field is accepted unchanged', () => {
  const full = {
    ...least,
    droneState: 'WAYPOINT',
    dockState: 'OPEN',
    navigation: {
      position: { type: 'Point', coordinates: [-122.4194, 37.7749, 85.5] },
      orientation: { heading: 270.5, pitch: -2.1, roll: 0.3 },
      velocity: { groundSpeed: 12.5, verticalSpeed: -0.5 },
    },
    battery: { percent: 81.5, voltage: 22.4, remainingFlightTime: 1260 },
    sensorPayload: { camera: { orientation: { heading: 0, pitch: -90, roll: 0 }, zoom: 4 }, gas: { ch4: 1.9 } },
    weather: { windSpeed: 6.2, windDirection: 310, temperature: -3.5, humidity: 71, rain: 0.2 },
    jobId: id('job'),
    progress: { percent: 42.5, distanceLeft: 640, secondsLeft: 75 },
    simulated: true,
  };
  expect(sample.parse(full)).toEqual(full);
});

const fields: readonly [name: string, min: number, max: number, state: (value: unknown) => object][] = [
  ['longitude', -180, 180, (value) => position(value, 47, 500)],
  ['latitude', -90, 90, (value) => position(8, value, 500)],
  ['altitude', -500, 20_000, (value) => position(8, 47, value)],
  ['heading', 0, 360, (heading) => ({ navigation: { orientation: { heading } } })],
  ['pitch', -180, 180, (pitch) => ({ navigation: { orientation: { pitch } } })],
  ['roll', -180, 180, (roll) => ({ navigation: { orientation: { roll } } })],
  ['groundSpeed', 0, 200, (groundSpeed) => ({ navigation: { velocity: { groundSpeed } } })],
  ['verticalSpeed', -200, 200, (verticalSpeed) => ({ navigation: { velocity: { verticalSpeed } } })],
  ['percent', 0, 100, (percent) => ({ battery: { percent } })],
  ['voltage', 0, 1000, (voltage) => ({ battery: { voltage } })],
  ['remainingFlightTime', 0, 86_400, (remainingFlightTime) => ({ battery: { remainingFlightTime } })],
  ['percent of the flight', 0, 100, (percent) => ({ progress: { percent } })],
  ['distanceLeft', 0, 1_000_000, (distanceLeft) => ({ progress: { percent: 1, distanceLeft } })],
  ['secondsLeft', 0, 86_400, (secondsLeft) => ({ progress: { percent: 1, secondsLeft } })],
  ['windSpeed', 0, 150, (windSpeed) => ({ weather: { windSpeed } })],
  ['windDirection', 0, 360, (windDirection) => ({ weather: { windDirection } })],
  ['temperature', -100, 100, (temperature) => ({ weather: { temperature } })],
  ['humidity', 0, 100, (humidity) => ({ weather: { humidity } })],
  ['rain', 0, 1000, (rain) => ({ weather: { rain } })],
  ["the camera's heading", 0, 360, (heading) => ({ sensorPayload: { camera: { orientation: { heading } } } })],
  ["the camera's pitch", -180, 180, (pitch) => ({ sensorPayload: { camera: { orientation: { pitch } } } })],
];

test.each(fields)('%s is a number from %d to %d', (_, min, max, state) => {
  const around = [min - 0.001, min, (min + max) / 2, max, max + 0.001].map((value) => accepts(state(value)));
  expect(around).toEqual([false, true, true, true, false]);
  expect([String(min), null, NaN, Infinity, [min]].map((value) => accepts(state(value)))).toEqual(Array(5).fill(false));
});

test.each([
  ['two coordinates', position(8, 47)],
  ['four coordinates', position(8, 47, 500, 1)],
  ['no coordinates', { navigation: { position: { type: 'Point' } } }],
  ['another geometry', { navigation: { position: { type: 'LineString', coordinates: [8, 47, 500] } } }],
])('a position with %s is refused', (_, state) => {
  expect(accepts(state)).toBe(false);
});

test.each(['droneState', 'dockState'])('%s accepts unknown values of at most 64 characters', (name) => {
  const accepted = ['MANUAL', 'SPRAYING_V2', 'x'.repeat(64), 'x'.repeat(65), '', '\ud800', 7].map((value) =>
    accepts({ [name]: value }),
  );
  expect(accepted).toEqual([true, true, true, false, false, false, false]);
});

test.each([
  ['a sample', { speed: 3 }, []],
  ['navigation', { navigation: { height: 3 } }, ['navigation']],
  [
    'a position',
    { navigation: { position: { type: 'Point', coordinates: [8, 47, 1], bbox: [] } } },
    ['navigation', 'position'],
  ],
  ['an orientation', { navigation: { orientation: { yaw: 3 } } }, ['navigation', 'orientation']],
  ['a velocity', { navigation: { velocity: { airSpeed: 3 } } }, ['navigation', 'velocity']],
  ['a battery', { battery: { level: 3 } }, ['battery']],
  ['weather', { weather: { pressure: 3 } }, ['weather']],
  ['progress', { progress: { percent: 1, eta: 3 } }, ['progress']],
])('an unknown field of %s is refused and named', (_, state, path) => {
  expect(issuesOf(state)).toMatchObject([{ code: 'unrecognized_keys', path }]);
});

test.each<[string, unknown, string]>([
  ['an integer that readers round', { a: { id: 1610521604143693812 } }, 'sensorPayload.a.id'],
  ['a number that JSON reads as infinite', { a: [Infinity] }, 'sensorPayload.a.0'],
  ['half a surrogate pair', { camera: { note: '\ud83d' } }, 'sensorPayload.camera.note'],
  ['a name with half a pair', { '\ud83d': 1 }, 'sensorPayload.\ud83d'],
  ['more than 32 levels', JSON.parse(`{"a":${'['.repeat(32)}${']'.repeat(32)}}`), 'sensorPayload'],
])('sensorPayload with %s is refused by path', (_, sensorPayload, path) => {
  expect(issuesOf({ sensorPayload }).map((issue) => issue.path.join('.'))).toEqual([path]);
});

test('any sample that is accepted can be read again after it is stored as JSON', () => {
  const payload = fc.dictionary(fc.string({ unit: 'binary' }), fc.anything({ maxDepth: 3, withNullPrototype: false }));
  fc.assert(
    fc.property(payload, (sensorPayload) => {
      const parsed = sample.safeParse({ ...least, sensorPayload });
      fc.pre(parsed.success);
      expect(sample.parse(JSON.parse(JSON.stringify(parsed.data)))).toBeDefined();
    }),
  );
});

test('sensorPayload may have any shape, up to 8 KiB of UTF-8 JSON', () => {
  const around = JSON.stringify({ gas: '' }).length;
  expect(accepts({ sensorPayload: { gas: 'x'.repeat(8192 - around) } })).toBe(true);
  expect(issuesOf({ sensorPayload: { gas: 'x'.repeat(8193 - around) } })).toMatchObject([
    { path: ['sensorPayload'], message: 'must not be larger than 8192 bytes' },
  ]);
  expect(accepts({ sensorPayload: { gas: 'ä'.repeat(4096) } })).toBe(false);
  expect([[], 'text', null].map((sensorPayload) => accepts({ sensorPayload }))).toEqual([false, false, false]);
});

test.each([
  ['2026-11-27T11:30:15.123+01:00', timestamp],
  ['2026-11-27T10:30:15.123456Z', timestamp],
  ['2026-11-27T10:30:15Z', '2026-11-27T10:30:15.000Z'],
])('the timestamp %s is stored as %s', (given, stored) => {
  expect(sample.parse({ ...least, timestamp: given }).timestamp).toBe(stored);
});

test.each(['yesterday', '2026-11-27', '2026-11-27T10:30:15', '2026-13-01T00:00:00Z', 1795775415123, null])(
  'the timestamp %j is refused',
  (given) => {
    expect(accepts({ timestamp: given })).toBe(false);
  },
);

test('the sequence of a sample is its timestamp in Unix milliseconds', () => {
  expect(sampleSequence(least)).toBe(1795775415123);
  const moments = fc.date({ min: new Date('2020-01-01Z'), max: new Date('2090-01-01Z'), noInvalidDate: true });
  fc.assert(
    fc.property(moments, moments, (one, other) => {
      const sequence = (date: Date) => sampleSequence(sample.parse({ ...least, timestamp: date.toISOString() }));
      expect(Math.sign(sequence(one) - sequence(other))).toBe(Math.sign(one.getTime() - other.getTime()));
    }),
  );
});

test.each([
  [0, 0],
  [49, 0],
  [1249, 1.2],
  [1_200_000, 1200],
  [-30_000, 0],
])('a sample that was measured %d ms ago has an age of %d seconds', (ms, seconds) => {
  expect(ageAt({ timestamp }, new Date(Date.parse(timestamp) + ms))).toBe(seconds);
});
