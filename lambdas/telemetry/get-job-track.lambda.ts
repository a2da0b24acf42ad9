import * as endpoints from '../../contract/telemetry/tracks.endpoints';
import { readFlight } from '../../data/telemetry/flights';
import { findStoredJob } from '../../data/jobs/jobs';
import { flownPoints, groupByDevice } from '../../domain/telemetry/flight-record';
import { negotiate } from '../serve/negotiate';
import { serve } from '../serve/serve';
import { toCsv } from './track-csv';
import { toGeoJson } from './track-geo-json';
import { toKml } from './track-kml';

const formats = {
  'application/geo+json': toGeoJson,
  'application/json': toGeoJson,
  'application/vnd.google-earth.kml+xml': toKml,
  'text/csv': toCsv,
};

export const handler = serve(
  'GET /v3/jobs/{jobId}/track',
  endpoints.getJobTrack,
  async ({ caller, path, mediaType, now }) => {
    const { job, flightTimes } = await findStoredJob(caller.organisation, path.jobId);
    const recorded = await readFlight(job.jobId, new Date(now));
    return formats[mediaType](job, groupByDevice(flownPoints(flightTimes, recorded)));
  },
  negotiate,
);
