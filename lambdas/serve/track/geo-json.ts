import type { JobTrack } from '../../../contract/schemas/tracks';
import type { DeviceTrack, RecordedPoint } from '../../../domain/flight-record';
import type { Job } from '../../../domain/job';

type Feature = JobTrack['features'][number];

function featureOf({ jobId, name }: Job, { deviceId, recorded, points }: DeviceTrack): Feature {
  const each = <Value>(read: (point: RecordedPoint) => Value | undefined) => points.map((point) => read(point) ?? null);
  const times = points.map(({ timestamp }) => timestamp);
  return {
    type: 'Feature',
    geometry: { type: 'LineString', coordinates: points.map(({ coordinates }) => coordinates) },
    properties: {
      jobId,
      name,
      deviceId,
      startTime: times[0] ?? '',
      endTime: times.at(-1) ?? '',
      recorded,
      coordinateProperties: {
        times,
        droneStates: each(({ droneState }) => droneState),
        groundSpeeds: each(({ groundSpeed }) => groundSpeed),
        verticalSpeeds: each(({ verticalSpeed }) => verticalSpeed),
        headings: each(({ heading }) => heading),
        batteryPercents: each(({ batteryPercent }) => batteryPercent),
      },
    },
  };
}

/** The tracks of a job in GeoJSON; a line has two positions or more (RFC 7946 section 3.1.4). */
export const toGeoJson = (job: Job, tracks: readonly DeviceTrack[]): JobTrack => ({
  type: 'FeatureCollection',
  features: tracks.filter(({ points }) => points.length > 1).map((track) => featureOf(job, track)),
});
