import { cutAtAntimeridian } from '../../../domain/telemetry/antimeridian';
import type { RecordedPoint } from '../../../domain/telemetry/flight-record';
import { id } from '../fixtures/samples';

const begin = Date.parse('2026-11-27T10:30:00.000Z');
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

describe('cutAtAntimeridian', () => {
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
