import { heightReferences } from '../../domain/missions/mission';
import { formatMediaTypes, missionFormats } from '../../domain/missions/mission-record';
import type { Field, Fields, Objects } from '../terms/field';
import { identifier } from '../terms/common.texts';

const missionId: Field = {
  description: 'Identifier of the mission, assigned by the service. Treat it as opaque.',
  examples: ['mission-7k2m9qx4-01kb1x5m9v3f8q2r7t6w4y0z1a'],
  ...identifier,
};

const nameOfFile: Field = {
  description: 'Name of the mission, 1 to 256 characters, instead of that in the file.',
  examples: ['Along the fence'],
};

const line = [
  [8.5417, 47.3769, 40],
  [8.5432, 47.3774, 40],
];

const references: Readonly<Record<(typeof heightReferences)[number], string>> = {
  TAKE_OFF: 'the take-off point',
  GROUND: 'the ground below',
  SEA_LEVEL: 'mean sea level',
  ELLIPSOID: 'the ellipsoid WGS 84',
  JOB: 'no heights: they come from `flight.height` of the job',
};

/** Fields of missions. */
export const missionFields: Fields = {
  format: {
    description: `Format of the file: ${missionFormats.map((format) => `\`${format}\` (\`${formatMediaTypes[format]}\`)`).join(', ')}. Another may be added.`,
    examples: ['GEOJSON'],
    known: missionFormats,
  },
  heightReference: {
    description: `What the heights are measured from: ${heightReferences.map((one) => `\`${one}\` (${references[one]})`).join(', ')}. Another may be added.`,
    examples: ['TAKE_OFF'],
    known: heightReferences,
  },
  length: {
    description: 'Length of the line in metres, along the ellipsoid; heights don’t count.',
    examples: [125.8],
    minimum: 0,
  },
  mission: { description: 'The mission, without its waypoints.' },
  missionLine: {
    description:
      'The waypoints to fly, of a job whose mission is one of this service: in `job.created` and `job.snapshot`.',
  },
  missionVersion: {
    description:
      'The version of the mission that the job flies, if it is a mission of this service: that of the job’s creation.',
    examples: [1],
    minimum: 1,
  },
  missions: { description: 'The missions of this page, newest first.', maxItems: 100 },
  waypointCount: { description: 'Number of waypoints.', examples: [2], minimum: 2 },
  waypoints: {
    description:
      'Longitude and latitude in degrees (WGS 84), then the height in metres from `heightReference`, of each waypoint in its order. With `JOB` there is no height.',
    examples: [line],
    minItems: 2,
    maxItems: 5000,
  },
  'CreateMissionQuery.name': nameOfFile,
  'GetMissionQuery.format': {
    description: 'The format, instead of by `Accept`; `original` is the file as it was sent.',
    examples: ['geojson'],
  },
  'Mission.missionId': missionId,
  'Mission.name': {
    description: 'Name of the mission, for people: the file’s own, or the one given. Left out if there is none.',
    examples: ['Along the fence'],
  },
  'Mission.version': { description: 'Grows with every file that replaces the mission.', examples: [1], minimum: 1 },
  'Mission.updatedAt': {
    description: 'When the file was stored.',
    examples: ['2026-11-27T10:30:15.123Z'],
    format: 'date-time',
  },
  'MissionFeature.geometry': { description: 'The line.' },
  'MissionFeature.properties': { description: 'The mission, without its waypoints.' },
  'MissionFeature.type': { description: 'Always `Feature`.' },
  'MissionGeometry.coordinates': {
    description:
      'Longitude and latitude in degrees, then the height in metres from `heightReference`, of each waypoint in its order. With `JOB` there is no height.',
    examples: [line],
    minItems: 2,
    maxItems: 5000,
  },
  'MissionGeometry.type': { description: 'Always `LineString`.' },
  'Path.missionId': missionId,
};

/** Objects in replies, by the export of their schema: generated clients have a class for each. */
export const missionObjects: Objects = {
  mission: 'A mission without its waypoints.',
  missionFeature: 'A mission in GeoJSON (RFC 7946).',
  missionGeometry: 'A GeoJSON line (RFC 7946).',
};
