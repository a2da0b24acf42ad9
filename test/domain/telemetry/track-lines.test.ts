import { cutAtAntimeridian } from '../../../domain/telemetry/antimeridian';
import type { RecordedPoint } from '../../../domain/telemetry/flight-record';
import { splitAtGaps, MAX_GAP_S, thinOutLines } from '../../../domain/telemetry/track-lines';
import { id } from '../fixtures/samples';

const begin = Date.parse('2026-11-27T10:30:00.000Z');

describe('Track lines', () => {
  const point = (seconds: number) => ({ timestamp: new Date(begin + seconds * 1000).toISOString() });
  const points = (...seconds: number[]) => seconds.map(point);
  /** Lines of so many positions each, numbered throughout. */
  const lines = (...lengths: number[]) => {
    let next = 0;
    return lengths.map((length) => Array.from({ length }, () => next++));
  };

  describe('linesOf', () => {
    test('is one line as long as no two positions are more than ten seconds apart', () => {
      expect(splitAtGaps(points(0, MAX_GAP_S, 2 * MAX_GAP_S))).toEqual([points(0, 10, 20)]);
    });

    test('breaks the line at each gap, also around a single position', () => {
      expect(splitAtGaps(points(0, 1, 11.001, 30, 31))).toEqual([points(0, 1), points(11.001), points(30, 31)]);
    });

    test('has no line without positions', () => {
      expect(splitAtGaps([])).toEqual([]);
    });
  });

  describe('thinOutLines', () => {
    test('leaves lines as they are that have few enough positions', () => {
      expect(thinOutLines(lines(3, 1, 6), 10)).toEqual(lines(3, 1, 6));
    });

    test('thins out each line as much as the others, with both of its ends', () => {
      const [long = [], alone = [], short = []] = lines(81, 1, 21);
      expect(thinOutLines([long, alone, short], 24)).toEqual([
        [0, 5, 10, 15, 20, 25, 30, 35, 40, 45, 50, 55, 60, 65, 70, 75, 80].map((index) => long[index]),
        alone,
        [0, 5, 10, 15, 20].map((index) => short[index]),
      ]);
    });

    test.each([
      ['lines of two', Array.from({ length: 40 }, () => 2)],
      ['positions that stand alone', Array.from({ length: 40 }, () => 1)],
      ['lines of any length', [1, 2, 3, 40, 1, 1, 7, 2]],
    ])('has no more positions than the maximum of %s, and the first and the last one', (_, lengths) => {
      const all = lines(...lengths);
      const thinned = thinOutLines(all, 20).flat();
      expect(thinned.length).toBeLessThanOrEqual(20);
      expect(thinned.length).toBeGreaterThanOrEqual(10);
      expect([thinned[0], thinned.at(-1)]).toEqual([0, all.flat().length - 1]);
    });
  });
});

describe('cutAtAntimeridian', () => {
  const point = (second: number, longitude: number, latitude = -17, altitude = 100): RecordedPoint => ({
    deviceId: id('device'),
    timestamp: new Date(begin + second * 1000).toISOString(),
    coordinates: [longitude, latitude, altitude],
  });
  const known = { groundSpeed: 12.5, heading: 90, droneState: 'WAYPOINT' };
  const longitudes = (...line: number[]) =>
    cutAtAntimeridian(line.map((longitude, second) => point(second, longitude))).map((part) =>
      part.map(({ coordinates }) => coordinates[0]),
    );

  test('leaves a line as it is that does not cross', () => {
    const line = [point(0, -0.5), { ...point(1, 0), ...known }, point(2, 179.9), point(3, 0.5)];
    expect(cutAtAntimeridian(line)).toEqual([line]);
    expect(cutAtAntimeridian([])).toEqual([]);
  });

  test('ends and begins at 180° where the line crosses, with nothing else known', () => {
    const [before, after] = [
      { ...point(0, 179.9, -17, 100), ...known },
      { ...point(4, -179.7, -17.4, 102), ...known },
    ];
    expect(cutAtAntimeridian([before, after])).toEqual([
      [before, point(1, 180, -17.1, 100.5)],
      [point(1, -180, -17.1, 100.5), after],
    ]);
  });

  test('cuts in both directions, as often as the line crosses', () => {
    expect(longitudes(-179.9, 179.9, 179.8, -179.9)).toEqual([
      [-179.9, -180],
      [180, 179.9, 179.8, 180],
      [-180, -179.9],
    ]);
  });

  test.each([
    [
      'before the crossing',
      [179.9, 180, -179.9],
      [
        [179.9, 180],
        [-180, -179.9],
      ],
    ],
    [
      'written as the other side',
      [179.9, -180, -179.9],
      [
        [179.9, 180],
        [-180, -179.9],
      ],
    ],
    [
      'twice',
      [179.9, 180, -180, -179.9],
      [
        [179.9, 180, 180],
        [-180, -179.9],
      ],
    ],
    ['at the beginning', [180, -179.9, -179.8], [[-180, -179.9, -179.8]]],
    ['at the end', [179.8, 179.9, -180], [[179.8, 179.9, 180]]],
    ['and back', [-179.9, 180, -179.9], [[-179.9, -180, -179.9]]],
    ['all along', [-180, 180], [[180, 180]]],
  ])('makes no line without length of a position on 180° %s', (_, line, parts) => {
    expect(longitudes(...line)).toEqual(parts);
  });
});
