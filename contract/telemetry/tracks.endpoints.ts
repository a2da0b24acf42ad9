import { MAX_GAP_S } from '../../domain/telemetry/track-lines';
import { flownStatusesInWords } from '../jobs/lifecycle-sentences';
import type { Endpoint } from '../terms/endpoint';
import { jobTrack, trackFormats, trackMediaTypes, trackQuery } from './tracks.schemas';

// The endpoint for where a job was flown.

export const getJobTrack = {
  summary: 'Get the track of a job’s flight',
  description: () =>
    `Returns where the drone was while the job was ${flownStatusesInWords}: a position a second, as far as the device reported them. It can be ` +
    'read during the flight, and for 90 days after it unless your operator chose otherwise. A job that has not flown has no ' +
    'positions.\n\n' +
    '`Accept` selects the format: GeoJSON (`application/geo+json`, the default, or `application/json`), KML with a `gx:Track` for ' +
    'Google Earth (`application/vnd.google-earth.kml+xml`), or CSV (`text/csv`). `format` does the same in the query, and goes before `Accept`: for ' +
    'clients that choose no header. In GeoJSON each device that flew the job is a ' +
    'feature with a `LineString`; its `coordinateProperties` hold what was known at each of its positions, with `null` for what ' +
    'was not.\n\n' +
    `More than ${MAX_GAP_S} seconds without a position break the line, and so does 180° of longitude: the feature has a ` +
    '`MultiLineString` then, whose `coordinateProperties` have a list for each line, and KML a `gx:MultiTrack`. A line needs two ' +
    'positions: those that stand alone are one more feature of the device, with a `MultiPoint`, and in KML points. Where a line crosses 180°, GeoJSON ' +
    'and KML end it and begin the next with a position that was not recorded, with time and altitude by its neighbours. CSV has ' +
    'what was recorded only.\n\n' +
    'A device’s track of more than 10,000 positions is thinned out evenly to that many, with both ends of each line; ' +
    '`recorded` is the number of positions before that. Of a flight of more than ten hours it is the last ten.',
  scope: 'command:read',
  handler: 'telemetry/get-job-track',
  tag: 'Jobs',
  tables: { jobs: ['get'], flights: ['query'] },
  request: { query: trackQuery },
  reply: { status: 200, body: jobTrack, mediaTypes: trackMediaTypes, formats: trackFormats },
  refusals: ['invalid_request', 'job_not_found', 'not_acceptable'],
} as const satisfies Endpoint;
