import { toXml } from 'xast-util-to-xml';
import { x } from 'xastscript';
import { cutAtAntimeridian } from '../../domain/telemetry/antimeridian';
import type { DeviceTrack, RecordedPoint } from '../../domain/telemetry/flight-record';
import type { Job } from '../../domain/jobs/job';
import { xmlText } from '../runtime/xml-text';

const SCHEMA_ID = 'samples';

/** What is shown along the track: its name in the document, its KML type, and its value at a position. */
const samples: readonly [name: string, type: string, read: (point: RecordedPoint) => string | number | undefined][] = [
  ['droneState', 'string', ({ droneState }) => droneState],
  ['groundSpeed', 'float', ({ groundSpeed }) => groundSpeed],
  ['verticalSpeed', 'float', ({ verticalSpeed }) => verticalSpeed],
  ['heading', 'float', ({ heading }) => heading],
  ['batteryPercent', 'float', ({ batteryPercent }) => batteryPercent],
];

const schema = () =>
  x(
    'Schema',
    { id: SCHEMA_ID },
    samples.map(([name, type]) => x('gx:SimpleArrayField', { name, type }, [x('displayName', name)])),
  );

const arrayOf = (points: readonly RecordedPoint[], [name, , read]: (typeof samples)[number]) =>
  x(
    'gx:SimpleArrayData',
    { name },
    points.map((point) => x('gx:value', xmlText(read(point)))),
  );

/** A `gx:Track` (KML reference, gx:Track): a time for each position, and as many values of each sample, empty if unknown. */
const trackOf = (points: readonly RecordedPoint[]) =>
  x('gx:Track', [
    x('altitudeMode', 'absolute'),
    ...points.map(({ timestamp }) => x('when', timestamp)),
    ...points.map(({ coordinates }) => x('gx:coord', coordinates.join(' '))),
    x('ExtendedData', [
      x(
        'SchemaData',
        { schemaUrl: `#${SCHEMA_ID}` },
        samples.map((each) => arrayOf(points, each)),
      ),
    ]),
  ]);

const dataOf = (name: string, value: string | number) => x('Data', { name }, [x('value', xmlText(value))]);

/** The lines of a device: across a gap, or around the globe, nothing is drawn between them (KML reference, gx:MultiTrack). */
function lineOf({ deviceId, recorded, lines }: DeviceTrack) {
  const tracks = lines
    .filter(({ length }) => length > 1)
    .flatMap(cutAtAntimeridian)
    .map(trackOf);
  if (tracks.length === 0) return [];
  const geometry = tracks.length > 1 ? [x('gx:MultiTrack', [x('gx:interpolate', '0'), ...tracks])] : tracks;
  return [x('Placemark', [x('name', deviceId), x('ExtendedData', [dataOf('recorded', recorded)]), ...geometry])];
}

/** A position that stands alone between two gaps: what reads a track as a line (GEOS) refuses one of a single position. */
function pointOf(point: RecordedPoint, recorded: number) {
  const known = samples.flatMap(([name, , read]) => {
    const value = read(point);
    return value === undefined ? [] : [dataOf(name, value)];
  });
  return x('Placemark', [
    x('name', point.deviceId),
    x('TimeStamp', [x('when', point.timestamp)]),
    x('ExtendedData', [dataOf('recorded', recorded), ...known]),
    x('Point', [x('altitudeMode', 'absolute'), x('coordinates', point.coordinates.join(','))]),
  ]);
}

const placemarksOf = (track: DeviceTrack) => [
  ...lineOf(track),
  ...track.lines.flatMap(([point, ...others]) =>
    point && others.length === 0 ? [pointOf(point, track.recorded)] : [],
  ),
];

const namespaces = { xmlns: 'http://www.opengis.net/kml/2.2', 'xmlns:gx': 'http://www.google.com/kml/ext/2.2' };

/** The tracks of a job in KML 2.2 with Google's extension for tracks, which Google Earth shows as a flight. */
export function toKml({ name }: Job, tracks: readonly DeviceTrack[]): string {
  const document = x('kml', namespaces, [
    x('Document', [x('name', xmlText(name)), schema(), ...tracks.flatMap(placemarksOf)]),
  ]);
  return `<?xml version="1.0" encoding="UTF-8"?>\n${toXml(document)}`;
}
