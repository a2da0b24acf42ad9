import type { JobTrack } from '../../../contract/schemas/tracks';
import { cutAtAntimeridian } from '../../../domain/antimeridian';
import type { DeviceTrack, RecordedPoint } from '../../../domain/flight-record';
import type { Job } from '../../../domain/job';

type Feature = JobTrack['features'][number];
type Points = readonly RecordedPoint[];

const coordinatesOf = (points: Points) => points.map(({ coordinates }) => coordinates);

/** The same list for each line. */
const eachOf = <Value>(lines: readonly Points[], read: (point: RecordedPoint) => Value | undefined) =>
  lines.map((line) => line.map((point) => read(point) ?? null));

function valuesOf(lines: readonly Points[]) {
  return {
    times: lines.map((line) => line.map(({ timestamp }) => timestamp)),
    droneStates: eachOf(lines, ({ droneState }) => droneState),
    groundSpeeds: eachOf(lines, ({ groundSpeed }) => groundSpeed),
    verticalSpeeds: eachOf(lines, ({ verticalSpeed }) => verticalSpeed),
    headings: eachOf(lines, ({ heading }) => heading),
    batteryPercents: eachOf(lines, ({ batteryPercent }) => batteryPercent),
  };
}

/** The values of the positions of a single list. */
function flatValuesOf(points: Points) {
  const { times, droneStates, groundSpeeds, verticalSpeeds, headings, batteryPercents } = valuesOf([points]);
  return {
    times: times.flat(),
    droneStates: droneStates.flat(),
    groundSpeeds: groundSpeeds.flat(),
    verticalSpeeds: verticalSpeeds.flat(),
    headings: headings.flat(),
    batteryPercents: batteryPercents.flat(),
  };
}

/** A line has two positions or more (RFC 7946 section 3.1.4): what stands alone between two gaps is a point. */
function shapesOf({ lines }: DeviceTrack) {
  const drawn = lines.filter(({ length }) => length > 1).flatMap(cutAtAntimeridian);
  const alone = lines.filter(({ length }) => length === 1).flat();
  const [line, ...others] = drawn;
  return { line: others.length === 0 ? line : undefined, lines: others.length > 0 ? drawn : undefined, alone };
}

function featuresOf({ jobId, name }: Job, track: DeviceTrack): Feature[] {
  const { deviceId, recorded } = track;
  const points = track.lines.flat();
  const [startTime = '', endTime = ''] = [points[0]?.timestamp, points.at(-1)?.timestamp];
  const feature = (
    geometry: Feature['geometry'],
    coordinateProperties: Feature['properties']['coordinateProperties'],
  ): Feature => ({
    type: 'Feature',
    geometry,
    properties: { jobId, name, deviceId, startTime, endTime, recorded, coordinateProperties },
  });
  const { line, lines, alone } = shapesOf(track);
  return [
    ...(line ? [feature({ type: 'LineString', coordinates: coordinatesOf(line) }, flatValuesOf(line))] : []),
    ...(lines
      ? [feature({ type: 'MultiLineString', coordinates: lines.map(coordinatesOf) }, valuesOf(lines))]
      : []),
    ...(alone.length > 0
      ? [feature({ type: 'MultiPoint', coordinates: coordinatesOf(alone) }, flatValuesOf(alone))]
      : []),
  ];
}

/** The tracks of a job in GeoJSON: lines between the gaps of each device, and the positions that stand alone. */
export const toGeoJson = (job: Job, tracks: readonly DeviceTrack[]): JobTrack => ({
  type: 'FeatureCollection',
  features: tracks.flatMap((track) => featuresOf(job, track)),
});
