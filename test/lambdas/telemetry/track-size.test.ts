import { MAX_TRACK_POSITIONS, groupByDevice, type RecordedPoint } from '../../../domain/telemetry/flight-record';
import { toCsv } from '../../../lambdas/telemetry/track-csv';
import { toGeoJson } from '../../../lambdas/telemetry/track-geo-json';
import { toKml } from '../../../lambdas/telemetry/track-kml';
import { id } from '../../domain/fixtures/samples';
import { job } from './track-samples';

const begin = Date.parse('2026-11-27T10:30:00.123Z');
const flown = (count: number, change: (index: number) => Partial<RecordedPoint> = () => ({})) =>
  groupByDevice(
    Array.from({ length: count }, (_, index) => ({
      deviceId: id('device'),
      timestamp: new Date(begin + index * 1000).toISOString(),
      droneState: 'RETURNING',
      coordinates: [-122.419415, 37.774929, 1085.5],
      groundSpeed: 12.5,
      verticalSpeed: -10.5,
      heading: 270.5,
      batteryPercent: 81.3,
      ...change(index),
    })),
  );

const formats: [name: string, write: (tracks: ReturnType<typeof flown>) => string][] = [
  ['GeoJSON', (tracks) => JSON.stringify(toGeoJson(job, tracks))],
  ['KML', (tracks) => toKml(job, tracks)],
  ['CSV', (tracks) => toCsv(job, tracks)],
];

describe.each(formats)('%s', (_, write) => {
  test('of half an hour, with everything that a device reports, is smaller than 1 MB', () => {
    expect(Buffer.byteLength(write(flown(1800)))).toBeLessThan(1_000_000);
  });

  /** A position of each time of a pattern, so many milliseconds after the one before. */
  const every = (...pattern: number[]) => {
    const sum = pattern.reduce((one, other) => one + other, 0);
    const after = (index: number) => pattern.slice(0, index % pattern.length).reduce((one, other) => one + other, 0);
    return (index: number) => ({
      timestamp: new Date(begin + Math.floor(index / pattern.length) * sum + after(index)).toISOString(),
    });
  };

  test.each([
    ['', every(1000)],
    [', of which each position stands alone,', every(11_000)],
    [', of lines of two positions,', every(1000, 11_000)],
  ])('of the longest track%s is smaller than the 6 MB that Lambda returns', (_, change) => {
    // As the body of a response it is a JSON string: quotes and line ends in it are escaped.
    const body = JSON.stringify(write(flown(3 * MAX_TRACK_POSITIONS, change)));
    expect(Buffer.byteLength(body)).toBeLessThan(6_000_000);
  });
});
