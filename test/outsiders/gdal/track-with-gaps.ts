import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { recordPoints } from '../../bench/support/recorded-flight';
import type { RecordedPoint } from '../../../domain/telemetry/flight-record';
import { id } from '../../domain/fixtures/samples';
import { runCommand } from '../command';
import { pythonWith } from '../install/python';
import { convert } from './converted';

type Position = RecordedPoint['coordinates'];

interface Geometry {
  readonly type: string;
  readonly coordinates: unknown;
}

const begin = Date.parse('2026-11-27T10:30:00.123Z');
const at = (second: number, longitude: number): RecordedPoint => ({
  deviceId: id('device'),
  timestamp: new Date(begin + second * 1000).toISOString(),
  coordinates: [longitude, -17.5, 100.5],
});

/** A line, a position that stands alone, and a line across 180°. */
const points = [at(0, 179.5), at(10, 179.6), at(21, 179.7), at(40, 179.9), at(42, -179.9)];

const place = (longitude: number): Position => [longitude, -17.5, 100.5];
const lines: Geometry = {
  type: 'MultiLineString',
  coordinates: [
    [place(179.5), place(179.6)],
    [place(179.9), place(180)],
    [place(-180), place(-179.9)],
  ],
};
const alone: Geometry = { type: 'Point', coordinates: place(179.7) };
const severalAlone: Geometry = { type: 'MultiPoint', coordinates: [place(179.7)] };

/** What each reader must find. */
const expected: Readonly<Record<string, readonly Geometry[]>> = {
  'GDAL, GeoJSON': [lines, severalAlone],
  'GDAL, KML': [lines, alone],
  'geopandas, GeoJSON': [lines, severalAlone],
  'geopandas, KML': [lines, alone],
  'fastkml, KML': [lines, alone],
};

/** Whether GDAL, geopandas (GEOS) and fastkml read a track with gaps and across 180°. @returns findings */
export async function judgeTrackWithGaps(folder: string): Promise<string[]> {
  const python = await pythonWith('geopandas', join(__dirname, 'requirements.txt'));
  const flight = await recordPoints('1', points);
  const files = { GeoJSON: 'gaps.geojson', KML: 'gaps.kml' };
  const texts = {
    GeoJSON: await flight.track('application/geo+json'),
    KML: await flight.track('application/vnd.google-earth.kml+xml'),
  };
  const found: Record<string, readonly Geometry[]> = {};
  const findings: string[] = [];
  for (const format of ['GeoJSON', 'KML'] as const) {
    const { features, warnings } = await convert(folder, files[format], texts[format]);
    found[`GDAL, ${format}`] = features.map(({ geometry }) => geometry);
    findings.push(...warnings.map((warning) => `${files[format]}: ${warning}`));
  }
  const args = [join(__dirname, 'read_tracks.py'), ...Object.values(files).map((file) => join(folder, file))];
  const { stdout } = await runCommand(python, args, { timeoutMs: 120_000 });
  Object.assign(found, JSON.parse(stdout));
  console.log(`  gaps and 180°: ${Object.keys(expected).join('; ')}`);
  return [
    ...findings,
    ...Object.entries(expected)
      .filter(([reader, geometries]) => !isDeepStrictEqual(found[reader], geometries))
      .map(([reader, geometries]) => `${reader}: ${JSON.stringify(found[reader])}, not ${JSON.stringify(geometries)}`),
  ];
}
