import { dispatchRequest } from '../../domain/dispatch/candidate';
import { JOBS_CHECKED_PER_MINUTE, JOBS_DISPATCHED_PER_MINUTE } from '../terms/rates';
import { jobRequest } from '../../domain/jobs/job-request';
import type { Endpoint } from '../terms/endpoint';
import * as schemas from './dispatch.schemas';

export const dispatchJob = {
  summary: 'Dispatch the nearest free device to a place',
  description: () =>
    'Creates a job for the device that would arrive first at `desiredLocation`, or without it at the first waypoint of a mission of this service, of those that are online, on the ground, charged and ' +
    'named by no open job. Two calls never take the same device. The body is that of creating a job; `deviceGroupId` limits the search to a ' +
    'group, `maxEtaSeconds` to devices that arrive in time. `deviceId` and `scheduledAt` are refused.\n\n' +
    '`etaSeconds` is an estimate: 30 seconds, and the distance in a straight line at `flight.speed`, or at 10 m/s. `candidates` are the nearest ' +
    'devices, with the `reason` of each that was passed over. When none is free the answer is 409 with the same reasons. ' +
    'A job that the drone platform has not queued within 60 seconds becomes `FAILED` with the reason `NOT_TAKEN`, and its device is free again.',
  scope: { all: ['command:create', 'resources:read'] },
  handler: 'dispatch/dispatch-job',
  tag: 'Jobs',
  perMinute: JOBS_DISPATCHED_PER_MINUTE,
  idempotent: true,
  setsDeadlines: true,
  tables: {
    fleet: ['query', 'batchGet'],
    missions: ['get', 'update'],
    jobs: ['query', 'batchGet', 'put'],
    requests: ['batchGet', 'put'],
  },
  request: { body: dispatchRequest },
  reply: { status: 201, body: schemas.dispatchedJobReply, links: 'job' },
  refusals: ['invalid_request', 'device_group_not_found', 'mission_not_found', 'no_device'],
} as const satisfies Endpoint;

export const checkJob = {
  summary: 'Check whether a job could be flown',
  description:
    'Takes the body of creating a job, creates nothing, and says what would become of the job: the drone platform checks the flight, the service ' +
    'its devices. What creating would refuse is refused with the same answer. `feasible` is true only when there is no finding. Without an answer of the platform ' +
    'within two seconds there is the finding `UNDECIDED`: the job may be feasible or not, so ask again, or create it.\n\n' +
    '`candidates` are the devices of the group, or the one that `deviceId` names, with the `reason` of each that is not free now, nearest first to `desiredLocation`, ' +
    'or without it to the first waypoint of a mission of this service. When none is free now, there is the finding `NO_DEVICE`; ' +
    'not for a job whose `scheduledAt` is in the future, of which nobody knows what devices will do then. A job without a place has no candidates: the platform alone judges it.\n\n' +
    'The answer holds for the moment. The platform checks again when it takes the job, and fails one that no longer can be flown with the code of the finding as its `reason`.',
  scope: { all: ['command:create', 'resources:read'] },
  handler: 'dispatch/check-job',
  tag: 'Jobs',
  perMinute: JOBS_CHECKED_PER_MINUTE,
  asksPlatform: true,
  tables: {
    fleet: ['query', 'batchGet'],
    missions: ['get'],
    jobs: ['query', 'batchGet'],
    requests: ['get', 'batchGet'],
  },
  request: { body: jobRequest },
  reply: { status: 200, body: schemas.checkedJobReply },
  refusals: ['invalid_request', 'device_group_not_found', 'mission_not_found'],
} as const satisfies Endpoint;
