import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { recordFlight, type RecordedFlight } from '../../bench/support/recorded-flight';
import { endStorage } from '../../bench/support/storage';
import { ensureDebianProgram } from '../install/programs';
import type { Lane } from '../lane';
import { judgeTrackWithGaps } from './track-with-gaps';
import { convert, type Converted, type GdalFeature } from './converted';

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
