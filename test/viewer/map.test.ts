import {
  lineBeside,
  placeBeside,
  nextPoint,
  createTrackPoints,
  MAX_SHOWN_POINTS,
  type ShownPlace,
} from '../../viewer/map-lines';
import { createFlight } from '../../viewer/device-state';
import type { Telemetry } from '../../viewer/parse-message';
import { tileRetryPause } from '../../viewer/tile-retry';

describe('Antimeridian', () => {
  const place = (longitude: number) => ({ latitude: -17, longitude });

  describe('placeBeside', () => {
    test.each([
      [8, undefined, 8],
      [8, 9, 8],
      [-179.5, 179.5, 180.5],
      [179.5, -179.5, -180.5],
      [179.5, 180.5, 179.5],
      [-179.5, 539.5, 540.5],
      [0, 725, 720],
    ])('is for %d beside %p at %d', (longitude, beside, drawn) => {
      expect(placeBeside(place(longitude), beside)).toEqual(place(drawn));
    });
  });

  describe('lineBeside', () => {
    test.each([
      ['nothing', [], undefined, []],
      ['a line within a world as it is', [8, 9, 10], undefined, [8, 9, 10]],
      ['a line to the east, which ends at its own longitude', [179, 179.5, -179.5], undefined, [-181, -180.5, -179.5]],
      ['a line to the west', [-179, -179.5, 179.5], undefined, [181, 180.5, 179.5]],
      ['a line beside the drone', [179, -179, -178], 183, [179, 181, 182]],
      ['a line there and back', [179.5, -179.5, 179.5], 179, [179.5, 180.5, 179.5]],
      ['a line around the world', [0, 120, -120, 0], undefined, [-360, -240, -120, 0]],
    ])('draws %s', (_, longitudes, end, drawn) => {
      expect(lineBeside(longitudes.map(place), end)).toEqual(drawn.map(place));
    });
  });
});

const places = (...points: [longitude: number, latitude: number][]) =>
  points.map(([longitude, latitude]) => ({ longitude, latitude }));

/** A square that ends where it begins. */
const square = places([8, 47], [8.01, 47], [8.01, 47.01], [8, 47.01], [8, 47]);

describe('nextPoint', () => {
  test.each<[string, [number, number][], number[]]>([
    [
      'stays the first while the drone is on the first line',
      [
        [8.001, 47],
        [8.009, 47.0001],
      ],
      [1, 1],
    ],
    [
      'follows the drone round corners',
      [
        [8.0099, 47.002],
        [8.005, 47.0101],
        [8.0001, 47.005],
      ],
      [2, 3, 4],
    ],
    [
      'stays the first at the beginning, where the route also ends',
      [
        [8, 47],
        [7.9999, 47.0001],
      ],
      [1, 1],
    ],
    [
      'never goes back',
      [
        [8.01, 47.005],
        [8.005, 47],
      ],
      [2, 2],
    ],
    [
      'stays the last behind the end',
      [
        [8.01, 47.005],
        [8.005, 47.01],
        [8, 47.005],
        [8, 46.99],
      ],
      [2, 3, 4, 4],
    ],
  ])('%s', (_, flown, expected) => {
    let next = 1;
    expect(places(...flown).map((here) => (next = nextPoint(square, next, here)))).toEqual(expected);
  });

  test.each([[[]], [square.slice(0, 1)], [square.slice(0, 2)]])(
    'stays the first of a route without corners',
    (route) => {
      expect(nextPoint(route, 1, { longitude: 8.02, latitude: 47 })).toBe(1);
    },
  );
});

describe('createTrackPoints', () => {
  /** A place so many metres to the east. */
  const place = (longitude: number, afterGap = false): ShownPlace => ({ latitude: 0, longitude, afterGap });
  const track = (places: readonly ShownPlace[]) => {
    const points = createTrackPoints((one, other) => Math.abs(one.longitude - other.longitude));
    for (const each of places) points.add(each);
    return points;
  };
  const trackOf = (...places: readonly ShownPlace[]) => track(places);
  const longitudes = (lines: readonly (readonly ShownPlace[])[]) =>
    lines.map((line) => line.map(({ longitude }) => longitude));

  test('leaves out what is as near as a hovering drone', () => {
    expect(longitudes(trackOf(place(0), place(3), place(3.1), place(5), place(7)).lines())).toEqual([[0, 3.1, 7]]);
  });

  test('has a line before and after each gap, and the ends of the gap, however near', () => {
    const points = trackOf(place(0), place(10), place(11, true), place(20), place(50, true));
    expect(longitudes(points.lines())).toEqual([[0, 10], [11, 20], [50]]);
    expect(longitudes(points.gaps())).toEqual([
      [10, 11],
      [20, 50],
    ]);
  });

  test('has no gap before its first point', () => {
    const points = trackOf(place(0, true), place(10));
    expect([longitudes(points.lines()), points.gaps()]).toEqual([[[0, 10]], []]);
  });

  test('keeps its gaps with fewer points', () => {
    const points = trackOf(...Array.from({ length: 4001 }, (_, index) => place(index * 10, index === 1001)));
    expect(points.lines().flat()).toHaveLength(2001);
    expect(longitudes(points.gaps())).toEqual([[10_000, 10_020]]);
    points.clear();
    expect([points.first, points.lines(), points.gaps()]).toEqual([undefined, [[]], []]);
  });

  test.each([
    ['at 1 Hz', 28_800, () => false],
    ['at 10 Hz', 288_000, () => false],
    ['at 10 Hz with a gap in each minute', 288_000, (index: number) => index % 600 === 0],
    ['only after gaps', 28_800, () => true],
  ])('has a bounded number of points after eight hours %s', (_, samples, isAfterGap) => {
    const points = track(Array.from({ length: samples }, (__, index) => place(index * 4, isAfterGap(index))));
    expect(points.lines().flat().length).toBeLessThanOrEqual(MAX_SHOWN_POINTS);
    expect(points.lines().flat().length).toBeGreaterThan(100);
    expect(points.first).toMatchObject({ longitude: 0 });
  });

  test('still draws a flight after weeks of reports with gaps', () => {
    const points = track([...Array.from({ length: 100_000 }, () => place(0, true)), place(2000)]);
    expect(points.lines().at(-1)?.at(-1)).toMatchObject({ longitude: 2000 });
  });
});

describe('tileRetryPause', () => {
  test.each([
    [0, 0, 5000],
    [1, 0, 10_000],
    [2, 0, 20_000],
    [5, 0, 160_000],
    [6, 0, 300_000],
    [2000, 0, 300_000],
    [0, 0.5, 5625],
    [1, 1, 12_500],
    [2000, 1, 375_000],
  ])('after %d failures with the random number %d it is %d ms', (failures, random, pause) => {
    expect(tileRetryPause(failures, random)).toBe(pause);
  });
});

const state = (droneState: string | undefined, altitude: number) =>
  ({
    type: 'device.telemetry',
    deviceId: 'd',
    timestamp: '2026-11-20T10:00:00Z',
    droneState,
    navigation: { position: { type: 'Point', coordinates: [8, 47, altitude] } },
  }) as Telemetry;
const info = (altitude?: number) => ({
  type: 'share.flight' as const,
  track: [],
  ...(altitude !== undefined && { takeOff: { timestamp: '2026-11-20T09:00:00Z', altitude } }),
});

describe('createFlight', () => {
  test('takes the take-off’s altitude from the last sample on the ground', () => {
    const flight = createFlight();
    expect([flight.onState(state('DOCKED', 408)), flight.onState(state('LANDED', 410))]).toEqual([false, false]);
    expect(flight.inFlight).toBe(false);
    expect(flight.onState(state('WAYPOINT', 412))).toBe(true);
    expect(flight.onState(state('HOVER', 480))).toBe(false);
    expect([flight.takeOffAltitude, flight.inFlight]).toEqual([410, true]);
  });

  test('knows no take-off of a drone that flew already, until the server tells it', () => {
    const flight = createFlight();
    expect(flight.onState(state('SOMETHING_NEW', 480))).toBe(false);
    flight.onInfo(info());
    expect([flight.takeOffAltitude, flight.inFlight]).toEqual([undefined, true]);
    flight.onInfo(info(405));
    expect(flight.takeOffAltitude).toBe(405);
  });

  test('prefers where the drone stands to an earlier take-off', () => {
    const flight = createFlight();
    flight.onState(state('LANDED', 300));
    flight.onInfo(info(405));
    expect(flight.takeOffAltitude).toBe(300);
  });
});
