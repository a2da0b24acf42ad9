import { jobRequest } from '../../domain/jobs/job';
import type { Endpoint } from '../terms/endpoint';
import { JOBS_CHECKED_PER_MINUTE } from '../terms/rates';
import * as schemas from './check.schemas';

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
