import type { JobTrack } from '../../contract/telemetry/tracks.schemas';
import { cutAtAntimeridian } from '../../domain/telemetry/antimeridian';
import type { DeviceTrack, RecordedPoint } from '../../domain/telemetry/flight-record';
import type { Job } from '../../domain/jobs/job';

type Feature = JobTrack['features'][number];
type Points = readonly RecordedPoint[];

/** Where the positions of a feature are, and what was known at each of them. */
interface Shape {
  readonly geometry: Feature['geometry'];
  readonly values: Feature['properties']['coordinateProperties'];
}

const coordinatesOf = (points: Points) => points.map(({ coordinates }) => coordinates);

function valuesAt(points: Points) {
  const each = <Value>(read: (point: RecordedPoint) => Value | undefined) => points.map((point) => read(point) ?? null);
  return {
    times: points.map(({ timestamp }) => timestamp),
    droneStates: each(({ droneState }) => droneState),
    groundSpeeds: each(({ groundSpeed }) => groundSpeed),
    verticalSpeeds: each(({ verticalSpeed }) => verticalSpeed),
    headings: each(({ heading }) => heading),
    batteryPercents: each(({ batteryPercent }) => batteryPercent),
  };
}

/** A list for each line, as its coordinates are. */
function valuesByLine(lines: readonly Points[]) {
  const all = lines.map(valuesAt);
  return {
    times: all.map(({ times }) => times),
    droneStates: all.map(({ droneStates }) => droneStates),
    groundSpeeds: all.map(({ groundSpeeds }) => groundSpeeds),
    verticalSpeeds: all.map(({ verticalSpeeds }) => verticalSpeeds),
    headings: all.map(({ headings }) => headings),
    batteryPercents: all.map(({ batteryPercents }) => batteryPercents),
  };
}

const line = (points: Points): Shape => ({
  geometry: { type: 'LineString', coordinates: coordinatesOf(points) },
  values: valuesAt(points),
});
const severalLines = (lines: readonly Points[]): Shape => ({
  geometry: { type: 'MultiLineString', coordinates: lines.map(coordinatesOf) },
  values: valuesByLine(lines),
});
const severalPoints = (points: Points): Shape => ({
  geometry: { type: 'MultiPoint', coordinates: coordinatesOf(points) },
  values: valuesAt(points),
});

/** A line has two positions or more (RFC 7946 section 3.1.4): what stands alone between two gaps is a point. */
function shapesOf({ lines }: DeviceTrack): Shape[] {
  const drawn = lines.filter(({ length }) => length > 1).flatMap(cutAtAntimeridian);
  const alone = lines.filter(({ length }) => length === 1).flat();
  return [
    ...(drawn.length > 1 ? [severalLines(drawn)] : drawn.map(line)),
    ...(alone.length > 0 ? [severalPoints(alone)] : []),
  ];
}

function featuresOf({ jobId, name }: Job, track: DeviceTrack): Feature[] {
  const { deviceId, recorded, lines } = track;
  const startTime = lines.at(0)?.at(0)?.timestamp ?? '';
  const endTime = lines.at(-1)?.at(-1)?.timestamp ?? '';
  return shapesOf(track).map(({ geometry, values }) => ({
    type: 'Feature',
    geometry,
    properties: { jobId, name, deviceId, startTime, endTime, recorded, coordinateProperties: values },
  }));
}

/** The tracks of a job in GeoJSON: the lines of each device between its gaps, and its positions that stand alone. */
export const toGeoJson = (job: Job, tracks: readonly DeviceTrack[]): JobTrack => ({
  type: 'FeatureCollection',
  features: tracks.flatMap((track) => featuresOf(job, track)),
});
