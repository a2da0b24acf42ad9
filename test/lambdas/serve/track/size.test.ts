import { MAX_TRACK_POSITIONS, tracksOf, type RecordedPoint } from '../../../../domain/flight-record';
import { toCsv } from '../../../../lambdas/serve/track/csv';
import { toGeoJson } from '../../../../lambdas/serve/track/geo-json';
import { toKml } from '../../../../lambdas/serve/track/kml';
import { id } from '../../../domain/fixtures/samples';
import { job } from './samples';

const begin = Date.parse('2026-11-27T10:30:00.123Z');
const flown = (count: number, change: Partial<RecordedPoint> = {}) =>
  tracksOf(
    Array.from({ length: count }, (_, index) => ({
      deviceId: id('device'),
      timestamp: new Date(begin + index * 1000).toISOString(),
      droneState: 'RETURNING',
      coordinates: [-122.419415, 37.774929, 1085.5],
      groundSpeed: 12.5,
      verticalSpeed: -10.5,
      heading: 270.5,
      batteryPercent: 81.3,
      ...change,
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

  test('of the longest track is smaller than the 6 MB that Lambda returns', () => {
    // As the body of a response it is a JSON string: quotes and line ends in it are escaped.
    const body = JSON.stringify(write(flown(MAX_TRACK_POSITIONS)));
    expect(Buffer.byteLength(body)).toBeLessThan(6_000_000);
  });
});
