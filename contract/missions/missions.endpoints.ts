import type { Endpoint } from '../terms/endpoint';
import { MISSIONS_WRITTEN_PER_MINUTE } from '../terms/rates';
import * as schemas from './missions.schemas';
import { messageReply } from '../terms/page.schemas';

// Endpoints for missions: lines of waypoints that jobs fly.

const formats =
  'The body is the file: GeoJSON (`application/geo+json`), KML (`application/vnd.google-earth.kml+xml`), DJI WPML in a KMZ ' +
  '(`application/vnd.google-earth.kmz`), or a QGroundControl plan (`application/json`), of at most 4 MB, with 2 to 5000 waypoints. ' +
  'A plan is text, in which quotation marks and line ends count twice: 3 MB always fit. ' +
  'What a mission can’t keep, such as a survey area, is refused; commands of cameras are not kept.';

const heights =
  'Heights keep the reference that the file has, which is `heightReference`; none is converted, and a file that mixes them is 400. ' +
  '`JOB` means that the file has no heights, as KML without `altitudeMode`: they come from `flight.height` of the job.';

/** `domain/missions/mission-record.ts` has the rule. */
const keptVersions =
  'Jobs fly a version until 90 days after it was replaced or deleted, and until 90 days after the latest `scheduledAt` of a job that names ' +
  'it. Its file can’t be read any more; the operator of the service can restore it for 95 days.';

export const createMission = {
  summary: 'Create a mission from a file',
  description: () =>
    `Stores a mission: a line of waypoints, which jobs fly by its \`missionId\`. ${formats}\n\n${heights}\n\n` +
    '`name` is the file’s own unless the parameter says another.',
  scope: 'command:create',
  handler: 'missions/create-mission',
  tag: 'Missions',
  perMinute: MISSIONS_WRITTEN_PER_MINUTE,
  // It deletes the line of a mission whose file could not be stored.
  tables: { missions: ['put', 'delete'] },
  missionFiles: ['put'],
  request: { query: schemas.fileQuery, file: schemas.missionMediaTypes },
  reply: { status: 201, body: schemas.missionReply },
  refusals: ['invalid_request'],
} as const satisfies Endpoint;

export const listMissions = {
  summary: 'List missions, newest first',
  description:
    'Returns a page of the organisation’s missions, newest first, without their waypoints. While there are more, the reply has a ' +
    '`nextToken`; pass it to get the next page.',
  scope: 'command:read',
  handler: 'missions/list-missions',
  tag: 'Missions',
  tables: { missions: ['query'] },
  request: { query: schemas.missionsQuery },
  reply: { status: 200, body: schemas.missionsReply },
  refusals: ['invalid_request'],
} as const satisfies Endpoint;

export const getMission = {
  summary: 'Read a mission',
  description: () =>
    'Returns the latest version of a mission. `Accept` selects the format: GeoJSON (`application/geo+json`, the default, or ' +
    '`application/json`) or KML (`application/vnd.google-earth.kml+xml`). `format` does the same in the query, and goes before ' +
    '`Accept`; `format=original` returns the file as it was sent, byte for byte. A KMZ is binary: send `Accept: ' +
    'application/vnd.google-earth.kmz`, first, to get it.\n\n' +
    'In GeoJSON the third coordinate is the height above `heightReference` of the properties; with `JOB` there is none.',
  scope: 'command:read',
  handler: 'missions/get-mission',
  tag: 'Missions',
  tables: { missions: ['get'] },
  missionFiles: ['get'],
  request: { query: schemas.missionQuery },
  reply: {
    status: 200,
    body: schemas.missionFeature,
    mediaTypes: schemas.servedMediaTypes,
    formats: schemas.missionFileFormats,
  },
  refusals: ['invalid_request', 'mission_not_found', 'not_acceptable'],
} as const satisfies Endpoint;

export const replaceMission = {
  summary: 'Replace a mission by another file',
  description: () =>
    `Stores a new version of a mission. Jobs that exist keep the version that they were created with. ${keptVersions}\n\n${formats}`,
  scope: 'command:update',
  handler: 'missions/replace-mission',
  tag: 'Missions',
  perMinute: MISSIONS_WRITTEN_PER_MINUTE,
  // It deletes the line of a version whose file could not be stored.
  tables: { missions: ['get', 'put', 'update', 'delete'] },
  missionFiles: ['put', 'delete'],
  request: { query: schemas.fileQuery, file: schemas.missionMediaTypes },
  reply: { status: 200, body: schemas.missionReply },
  refusals: ['invalid_request', 'mission_not_found'],
} as const satisfies Endpoint;

export const deleteMission = {
  summary: 'Delete a mission',
  description: () =>
    'Deletes a mission: it can’t be read any more, and no new job can name it. Jobs that exist keep the version that they were ' +
    `created with. ${keptVersions}`,
  scope: 'command:update',
  handler: 'missions/delete-mission',
  tag: 'Missions',
  tables: { missions: ['get', 'update', 'delete'] },
  missionFiles: ['delete'],
  request: {},
  reply: { status: 200, body: messageReply },
  refusals: ['mission_not_found'],
} as const satisfies Endpoint;
