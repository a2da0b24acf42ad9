import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { recordFlight, recordPoints, type RecordedFlight } from '../../bench/support/recorded-flight';
import { endStorage } from '../../bench/support/storage';
import { ensureDebianProgram, pythonWith } from '../install';
import type { Lane } from '../lane';
import { convert, type Converted, type GdalFeature } from './converted';
import type { RecordedPoint } from '../../../domain/telemetry/flight-record';
import { id } from '../../domain/fixtures/samples';
import { runCommand } from '../processes';

type Points = RecordedFlight['points'];
const HALF_AN_HOUR_S = 30 * 60;

/** A format of the track: how GDAL reads it, and what it must find there. */
interface Format {
  readonly mediaType: string;
  readonly file: string;
  readonly options?: readonly string[];
  /** What GDAL must find, by what it is; of everything else nothing is expected. */
  readonly expected: (points: Points) => Readonly<Record<string, unknown>>;
  /** The same in what it found. */
  readonly found: (features: readonly GdalFeature[]) => Readonly<Record<string, unknown>>;
}

/** A time as GDAL writes it: `2026-11-27T10:30:00.123Z`, and the offset in one of two forms. */
const timeIn = (value: unknown) => new Date(String(value).replaceAll('/', '-').replace(/\+00$/, 'Z')).toISOString();
const coordinatesOf = (points: Points) => points.map(({ coordinates }) => coordinates);
const coordinatesIn = (features: readonly GdalFeature[]) => features.map(({ geometry }) => geometry.coordinates);
const endsOf = (points: Points) => [points.at(0)?.timestamp, points.at(-1)?.timestamp];

const formats: readonly Format[] = [
  {
    mediaType: 'application/geo+json',
    file: 'flight.geojson',
    expected: (points) => ({
      lines: [coordinatesOf(points)],
      'first and last time': endsOf(points),
      times: points.map(({ timestamp }) => timestamp),
      headings: points.map(({ heading = null }) => heading),
    }),
    found: (features) => {
      const { startTime, endTime, coordinateProperties } = features[0]?.properties ?? {};
      const { times, headings } = (coordinateProperties ?? {}) as Record<string, unknown>;
      return {
        lines: coordinatesIn(features),
        'first and last time': [startTime, endTime].map(timeIn),
        times,
        headings,
      };
    },
  },
  {
    mediaType: 'application/vnd.google-earth.kml+xml',
    file: 'flight.kml',
    // GDAL takes the times of a placemark from its gx:Track.
    expected: (points) => ({ lines: [coordinatesOf(points)], 'first and last time': endsOf(points) }),
    found: (features) => {
      const { begin, end } = features[0]?.properties ?? {};
      return { lines: coordinatesIn(features), 'first and last time': [begin, end].map(timeIn) };
    },
  },
  {
    mediaType: 'text/csv',
    file: 'flight.csv',
    options: [
      'X_POSSIBLE_NAMES=longitude',
      'Y_POSSIBLE_NAMES=latitude',
      'Z_POSSIBLE_NAMES=altitude',
      'AUTODETECT_TYPE=YES',
    ],
    expected: (points) => ({
      points: coordinatesOf(points),
      times: points.map(({ timestamp }) => timestamp),
      headings: points.map(({ heading = null }) => heading),
    }),
    found: (features) => ({
      points: coordinatesIn(features),
      times: features.map(({ properties }) => timeIn(properties['time'])),
      headings: features.map(({ properties }) => properties['heading'] ?? null),
    }),
  },
];

/** GDAL, by which QGIS and most other tools read such files: each format of a track has what was recorded. */
export const gdal: Lane = {
  title: 'tracks of 30 minutes, and with gaps and across 180°, read by GDAL, geopandas and fastkml',
  run: async () => {
    await ensureDebianProgram('ogr2ogr', 'gdal-bin');
    const folder = mkdtempSync(join(tmpdir(), 'outsiders-gdal-'));
    try {
      const [flight, none] = [await recordFlight(HALF_AN_HOUR_S), await recordFlight(0)];
      const findings = [];
      for (const format of formats) {
        findings.push(...(await judge(format, flight, folder)));
        findings.push(...(await judgeEmpty(format, none, folder)));
      }
      findings.push(...(await judgeTrackWithGaps(folder)));
      return findings;
    } finally {
      await endStorage();
      rmSync(folder, { recursive: true });
    }
  },
};

const read = async ({ mediaType, file, options }: Format, flight: RecordedFlight, folder: string): Promise<Converted> =>
  convert(folder, file, await flight.track(mediaType), options);

async function judge(format: Format, flight: RecordedFlight, folder: string): Promise<string[]> {
  const { features, warnings } = await read(format, flight, folder);
  const [expected, found] = [format.expected(flight.points), format.found(features)];
  console.log(`  ${format.file}: ${Object.keys(expected).join(', ')} of ${flight.points.length} positions`);
  return [
    ...warnings.map((warning) => `${format.file}: ${warning}`),
    ...Object.entries(expected)
      .filter(([name, value]) => !isDeepStrictEqual(found[name], value))
      .map(([name, value]) => `${format.file}: ${name}: ${brief(found[name])} instead of ${brief(value)}`),
  ];
}

async function judgeEmpty(format: Format, flight: RecordedFlight, folder: string): Promise<string[]> {
  const { features, warnings } = await read(format, flight, folder);
  return [
    ...warnings.map((warning) => `${format.file}, empty: ${warning}`),
    ...(features.length > 0 ? [`${format.file}, empty: it has ${features.length} features`] : []),
  ];
}

const brief = (value: unknown) => (value === undefined ? 'nothing' : JSON.stringify(value).slice(0, 200));

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
async function judgeTrackWithGaps(folder: string): Promise<string[]> {
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
