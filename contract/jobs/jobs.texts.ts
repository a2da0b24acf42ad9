import type { Field, Fields, Objects } from '../terms/field';
import { passedOver } from '../../domain/dispatch/candidate';
import { findingCodes } from '../../domain/dispatch/job-check';
import { actions } from '../../domain/values/destination';
import { identifier } from '../terms/common.texts';
import { allMoves, lastAreFinal } from './lifecycle-sentences';
import { failureReasons } from '../../domain/jobs/job-report';

/** Codes of failures that have a meaning; the list is open. */
export const failureCodes = Object.keys(failureReasons)
  .map((code) => `\`${code}\``)
  .join(', ');

const coordinates: Field = {
  description:
    'Longitude (-180 to 180) and latitude (-90 to 90) in degrees, in this order, and optionally the altitude of the flight there in metres above mean sea level (-500 to 9000).',
  examples: [[8.5417, 47.3769]],
};

const geometryType: Field = { description: 'Always `Point`.', examples: ['Point'] };

const endingCommand: Field = {
  description: 'Identifier of the command that ended the flight, if one did: `reason` is `ABORTED_BY_COMMAND` then.',
  examples: ['command-7k2m9qx4-01kb1x5n2c4d6f8g0h2j4k6m8n'],
};

/** Fields of jobs. */
export const jobFields: Fields = {
  actionOnArrival: {
    description:
      'What the drone does at `desiredLocation`: `HOVER` there, `ORBIT` around it, or fly the `MISSION` from there. A location alone means ' +
      '`HOVER`; a location with a `missionId` means `MISSION`.',
    examples: ['MISSION'],
    known: actions,
  },
  cancelledAt: {
    description: 'When the job was cancelled.',
    examples: ['2026-11-27T10:31:40.512Z'],
    format: 'date-time',
  },
  candidates: {
    description: 'The devices that were looked at, nearest first: at most 100.',
    maxItems: 100,
  },
  distanceLeft: {
    description:
      'Metres still to fly: to `desiredLocation` until the drone is there, then to the end of the flight. Of a job without a place always to the end.',
    examples: [640],
  },
  distance: { description: 'Metres from the device to the place, on the ellipsoid.', examples: [412.6], minimum: 0 },
  etaSeconds: {
    description:
      'When the drone would arrive, in seconds from now. An estimate: 30 seconds, and the distance at `flight.speed` or 10 m/s.',
    examples: [64],
    minimum: 0,
  },
  feasible: {
    description: 'Whether the job could be flown: only when there is no finding.',
    examples: [false],
  },
  findings: {
    description: 'What speaks against the job. Empty when nothing does.',
    maxItems: 101,
  },
  'Finding.code': {
    description: `What is wrong. Known values: ${Object.entries(findingCodes)
      .map(([code, text]) => `\`${code}\`: ${text}`)
      .join(' ')} Others are codes of your drone platform, with which the job would fail as its \`reason\`.`,
    examples: ['LOW_BATTERY'],
    known: Object.keys(findingCodes),
  },
  'Finding.path': { description: 'The field of the request, if one is at fault.', examples: ['desiredLocation'] },
  waypoint: {
    description: 'The waypoint of the mission, counted from 0, if one is at fault.',
    examples: [3],
    minimum: 0,
  },
  'Finding.limit': { description: 'What is allowed, in the unit of the code.', examples: [75] },
  actual: { description: 'What the job would need, in the same unit.', examples: [138] },
  'CheckJobReply.length': {
    description:
      'Metres that the drone flies, from its dock and back, as the drone platform says. Left out if it did not tell.',
    examples: [23_840],
    minimum: 0,
  },
  durationSeconds: {
    description: 'How long the flight takes, in seconds, as the drone platform says. Left out if it did not tell.',
    examples: [2485],
    minimum: 0,
  },
  charge: {
    description:
      'The charge that the flight takes, in percent of a full battery, as the drone platform says; more than 100 is more than there is. Left out if it did not tell.',
    examples: [138],
    minimum: 0,
  },
  maxEtaSeconds: { description: 'Passes over devices that would arrive later: seconds, 1 to 86400.', examples: [300] },
  'Candidate.reason': {
    description: `Why it was passed over. Known values: ${Object.entries(passedOver)
      .map(([code, text]) => `\`${code}\`: ${text}`)
      .join(' ')} Left out of a device that is free.`,
    examples: ['BUSY'],
    known: Object.keys(passedOver),
  },
  'DispatchJobRequest.deviceGroupId': {
    description: 'Only devices of this group. Without it all of your organisation.',
    examples: ['group-7k2m9qx4-01kb1x4c2d5e6f7g8h9j0k1m2n'],
    ...identifier,
  },
  desiredLocation: {
    description:
      'Where the drone shall fly. It takes off, flies there in a straight line, and returns to its dock when it has done what `actionOnArrival` says.',
  },
  description: {
    description: 'Free text for people, up to 4096 characters. Left out of replies if it was never set.',
    examples: ['Crown of the dam, both sides'],
  },
  flight: {
    description:
      'How the drone shall fly. The drone platform chooses what is left out, and tells it in `plannedFlight`.',
    examples: [{ height: 60, speed: 12 }],
  },
  height: {
    description:
      'Height of the flight in metres above the take-off point, 1 to 500. Not together with an altitude in `desiredLocation`.',
    examples: [60],
  },
  holdSeconds: {
    description: 'How long the drone stays at `desiredLocation`, in seconds, 0 to 3600. For `HOVER` and `ORBIT`.',
    examples: [120],
    minimum: 0,
  },
  job: { description: 'The job.' },
  jobId: {
    description: 'Identifier of the job, assigned by the service. Treat it as opaque.',
    examples: ['job-7k2m9qx4-01kb1x5m9v3f8q2r7t6w4y0z1a'],
    ...identifier,
  },
  jobState: { description: 'Status of the job.', examples: ['IN_PROGRESS'] },
  jobs: { description: 'The jobs of this page, newest first.', maxItems: 100 },
  metadata: {
    description:
      'Any JSON object of yours: at most 16 KiB as JSON in UTF-8, at most 32 levels deep. It is stored and returned unchanged, and the drone platform receives it. PATCH replaces it as a whole.',
    examples: [{ site: 'north', order: 4711 }],
  },
  missionId: {
    description:
      'The mission to fly. One of this service, `mission-…`, must exist and be your organisation’s, and is flown in the version that it has when the job is created. Any other text is passed on unchecked, for a mission that your operator knows.',
    examples: ['mission-42'],
  },
  orbitRadius: { description: 'Radius of the circle in metres, 1 to 1000. For `ORBIT`.', examples: [30] },
  plannedFlight: {
    description:
      'How the drone flies it, as the drone platform reported: what `flight` asks for, and what the platform chose.',
  },
  progress: {
    description:
      'How far the flight has come, as the drone platform or the device says. Left out when neither has said it.',
    examples: [{ percent: 42, distanceLeft: 640, secondsLeft: 75 }],
  },
  'Progress.percent': { description: 'Percent of the whole flight, 0 to 100.', examples: [42] },
  'progress.percent': { description: 'Percent of the whole flight, 0 to 100.', examples: [42] },
  secondsLeft: {
    description: 'Estimated seconds until the drone has flown `distanceLeft`, 0 to 86400.',
    examples: [75],
  },
  name: {
    description: 'Name of the job, for people: 1 to 256 characters.',
    examples: ['Rim inspection'],
    minLength: 1,
  },
  previousState: {
    description: 'Present in a message about a change from one status to another: the status before it.',
    examples: ['QUEUED'],
  },
  priority: {
    description: 'Priority for the drone platform, 1 (low) to 10 (high).',
    examples: [5],
  },
  reason: {
    description: `Why the job failed, if that is known: ${failureCodes} or another code of your drone platform.`,
    examples: ['LINK_LOSS'],
    known: Object.keys(failureReasons),
  },
  reasonText: {
    description: 'The same for people, in the words of the drone platform.',
    examples: ['Lost over the dam'],
  },
  reportedAt: {
    description:
      'When the status was reached, as the drone platform reported it; only of a status that it did report. By the clock of the platform, which may be up to 60 seconds off.',
    examples: ['2026-11-27T10:30:00.000Z'],
    format: 'date-time',
  },
  scheduledAt: {
    description:
      'When the drone platform shall fly the job, with an offset or `Z`; replies have it in UTC. Without it the job is flown as soon as possible.',
    examples: ['2035-01-01T12:00:00.000Z'],
  },
  speed: { description: 'Speed over ground in metres per second, 0.5 to 50.', examples: [12] },
  status: {
    description: `Status of the job. It moves only so: ${allMoves}. ${lastAreFinal}`,
    examples: ['PENDING'],
  },
  updatedAt: {
    description: 'When the job was last changed.',
    examples: ['2026-11-27T10:31:02.480Z'],
    format: 'date-time',
  },
  version: {
    description: 'Grows by one with every change of the job; the number in its `ETag`.',
    examples: [1],
    format: 'int64',
    minimum: 1,
  },
  'CreateJobRequest.deviceGroupId': {
    description: 'Identifier of a device group, from `GET /v3/resources`.',
    examples: ['group-7k2m9qx4-01kb1x4c2d5e6f7g8h9j0k1m2n'],
    ...identifier,
  },
  'CreateJobRequest.deviceId': {
    description:
      'Identifier of the device that shall fly it, from `GET /v3/resources`. Without it any device of the group may.',
    examples: ['device-7k2m9qx4-01kb1x4c2d5e6f7g8h9j0k1m2p'],
    ...identifier,
  },
  'Location.type': geometryType,
  'DesiredLocation.type': geometryType,
  'desiredLocation.type': geometryType,
  'Location.coordinates': coordinates,
  'DesiredLocation.coordinates': coordinates,
  'desiredLocation.coordinates': coordinates,
  'Job.commandId': endingCommand,
  'JobCreatedDetail.commandId': endingCommand,
  'JobSnapshotDetail.commandId': endingCommand,
  'JobStatusMessage.commandId': endingCommand,
  'CancelledJob.status': { description: 'Always `CANCELLED`.', examples: ['CANCELLED'] },
  'JobStatusMessage.deviceId': {
    description: 'Device of the job, if it names one; in a message with a position, the device that reported it.',
    examples: ['device-7k2m9qx4-01kb1x4c2d5e6f7g8h9j0k1m2p'],
  },
  'JobStatusMessage.sequence': {
    description:
      'Version of the job. It grows with every change, also with those that send no message, so a gap is not always a loss. A message with a position repeats the `sequence` of the state and has a later `timestamp`.',
    examples: [3],
    format: 'int64',
    minimum: 0,
  },
  'JobStatusMessage.timestamp': {
    description: 'Time of the change; in a message with a position, the time of the device’s report. ISO 8601 in UTC.',
    examples: ['2026-11-27T10:30:15.123Z'],
    format: 'date-time',
  },
  'ListJobsQuery.deviceGroupId': {
    description: 'Only jobs of this device group.',
    examples: ['group-7k2m9qx4-01kb1x4c2d5e6f7g8h9j0k1m2n'],
  },
  'ListJobsQuery.deviceId': {
    description: 'Only jobs that name this device.',
    examples: ['device-7k2m9qx4-01kb1x4c2d5e6f7g8h9j0k1m2p'],
  },
  'ListJobsQuery.status': { description: 'Only jobs with this status.', examples: ['PENDING'] },
};

/** Objects in replies, by the export of their schema: generated clients have a class for each. */
export const jobObjects: Objects = {
  job: 'A job with all its fields.',
  jobSummary: 'The main fields of a job.',
  createdJob: 'The main fields of a new job.',
  updatedJob: 'A job after a change, with the fields that can change.',
  cancelledJob: 'A job after it was cancelled.',
  progress:
    'How far a flight has come, as the drone platform or the device says: a completed job has 100 percent only if the platform said so.',
  location: 'A place: a GeoJSON point (RFC 7946).',
  flightSettings: 'How a drone flies.',
  candidate: 'A device near the place.',
  finding: 'What speaks against a job.',
};
