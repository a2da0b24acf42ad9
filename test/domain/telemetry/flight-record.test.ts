import {
  flownPoints,
  intervalOf,
  MAX_TRACK_POSITIONS,
  recordedPointOf,
  tracksOf,
  type RecordedPoint,
} from '../../../domain/telemetry/flight-record';
import { deviceState } from '../../../domain/telemetry/telemetry';
import { acme, fullSample, id } from '../fixtures/samples';

const at = (seconds: number) => new Date(Date.parse('2026-11-27T10:30:00.000Z') + seconds * 1000).toISOString();
describe('recordedPointOf', () => {
  test('is the position with speeds, heading, state and battery, to about 10 cm and a tenth', () => {
    expect(recordedPointOf({ deviceId: id('device'), ...deviceState.parse(fullSample) })).toEqual({
      deviceId: id('device'),
      timestamp: '2026-11-27T10:30:15.123Z',
      coordinates: [-122.419415, 37.774929, 1085.5],
      groundSpeed: 12.5,
      verticalSpeed: -10.5,
      heading: 270.5,
      droneState: 'RETURNING',
      batteryPercent: 81.3,
    });
  });

  test('has nothing that the device did not report', () => {
    const position = { type: 'Point' as const, coordinates: [8.5, 47.4, 480] as [number, number, number] };
    const sample = { deviceId: id('device'), timestamp: at(0), navigation: { position } };
    expect(JSON.parse(JSON.stringify(recordedPointOf(sample)))).toEqual({
      deviceId: id('device'),
      timestamp: at(0),
      coordinates: [8.5, 47.4, 480],
    });
  });

  test('is undefined without a position', () => {
    expect(recordedPointOf({ deviceId: id('device'), timestamp: at(0) })).toBeUndefined();
  });
});

test.each([
  [1, 57.999, 57],
  [5, 57.999, 55],
  [5, 60, 60],
])('intervalOf gives the beginning of the %s s that %s s are in', (every, seconds, begin) => {
  expect(intervalOf(at(seconds), every)).toBe(Date.parse(at(begin)) / 1000);
});

describe('flownPoints', () => {
  const points = [0, 1, 2, 3].map((seconds) => ({
    deviceId: id('device'),
    timestamp: at(seconds),
    coordinates: [8.5, 47.4, 480] as [number, number, number],
  }));

  test.each([
    ['has begun', { startedAt: at(1) }, [1, 2, 3]],
    ['has ended', { startedAt: at(1), endedAt: at(2) }, [1, 2]],
    ['never began', { endedAt: at(2) }, []],
    ['has not begun', {}, []],
  ])('of a job that %s (%j) are those at %j', (_, times, seconds) => {
    expect(flownPoints(times, points).map(({ timestamp }) => timestamp)).toEqual(seconds.map(at));
  });
});

describe('tracksOf', () => {
  const point = (seconds: number, deviceId = id('device')): RecordedPoint => ({
    deviceId,
    timestamp: at(seconds),
    coordinates: [8.5, 47.4, 480],
  });
  const other = id('device', acme, '01jd0000000000000000000001');

  test('has a track for each device, in the order of their first positions', () => {
    const [one, two, three] = [point(0, other), point(1), point(2, other)];
    expect(tracksOf([one, two, three])).toEqual([
      { deviceId: other, recorded: 2, lines: [[one, three]] },
      { deviceId: id('device'), recorded: 1, lines: [[two]] },
    ]);
    expect(tracksOf([])).toEqual([]);
  });

  test('thins out a longer one evenly, with the first and the last position', () => {
    const count = 2 * MAX_TRACK_POSITIONS - 1;
    const [track] = tracksOf(Array.from({ length: count }, (_, index) => point(index)));
    expect(track?.recorded).toBe(count);
    expect(track?.lines.map((line) => line.map(({ timestamp }) => timestamp))).toEqual([
      Array.from({ length: MAX_TRACK_POSITIONS }, (_, index) => at(2 * index)),
    ]);
  });

  test('has a line before and after each gap of a device, whatever another one reports meanwhile', () => {
    const [one, two, three, four] = [point(0), point(1), point(12), point(13)];
    expect(tracksOf([one, two, point(6, other), three, four])).toMatchObject([
      {
        recorded: 4,
        lines: [
          [one, two],
          [three, four],
        ],
      },
      { deviceId: other },
    ]);
  });

  test('has no gap where only thinning out makes a step long', () => {
    const [track] = tracksOf(Array.from({ length: 3 * MAX_TRACK_POSITIONS }, (_, index) => point(9 * index)));
    expect(track?.lines).toHaveLength(1);
  });
});
