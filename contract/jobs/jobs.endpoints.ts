import { jobChange } from '../../domain/jobs/job-change';
import { jobRequest } from '../../domain/jobs/job-request';
import { MAX_SEARCHED } from '../../domain/jobs/job';
import type { Endpoint } from '../terms/endpoint';
import { JOBS_CREATED_PER_MINUTE } from '../terms/rates';
import * as schemas from './jobs.schemas';
import { messageReply } from '../terms/page.schemas';
import { allMoves } from './lifecycle-sentences';

// Endpoints for jobs (drone missions).

export const createJob = {
  summary: 'Create a job',
  description:
    'Creates a job with the status `PENDING`. The drone platform then queues and flies it, at `scheduledAt` or as soon as ' +
    'possible; follow it on the job’s channel instead of polling.\n\n' +
    '`desiredLocation` says where to fly, `actionOnArrival` what to do there, and `flight` how. What would have no effect is 400: an ' +
    '`orbitRadius` without `ORBIT`, a `missionId` with `HOVER`. A `missionId` of a mission of this service is flown in the version that it has now; any other text is for your operator. `deviceId` must be a device of the device group, otherwise the answer is 400. A device group of another organisation is 403, ' +
    'an unknown one 404. An unknown field is 400, because a misspelt `scheduledAt` must not be lost silently.',
  scope: 'command:create',
  handler: 'jobs/create-job',
  tag: 'Jobs',
  perMinute: JOBS_CREATED_PER_MINUTE,
  idempotent: true,
  tables: { fleet: ['batchGet'], missions: ['get', 'update'], jobs: ['put'] },
  request: { body: jobRequest },
  reply: { status: 201, body: schemas.createdJobReply, links: 'job' },
  refusals: ['invalid_request', 'device_group_not_found', 'mission_not_found'],
} as const satisfies Endpoint;

export const listJobs = {
  summary: 'List jobs, newest first',
  description: () =>
    'Returns a page of the organisation’s jobs, newest first. Each element is a summary: read a job for all its fields.\n\n' +
    '`status`, `deviceGroupId` and `deviceId` filter the list, in any combination; an identifier that names nothing of yours finds nothing.\n\n' +
    'While there are more, the reply has a `nextToken`; pass it with the same filters to get the next page. A token of another list ' +
    `or filter is 400. A page may hold fewer elements than \`limit\`, or none, although there are more: with a device or a group a call looks at ${MAX_SEARCHED} jobs at most. ` +
    'Go on until a reply has no `nextToken`.\n\n' +
    'Without `status` the list is current. Filtered by `status` it may lag behind, usually by less than a second.',
  scope: 'command:read',
  handler: 'jobs/list-jobs',
  tag: 'Jobs',
  tables: { jobs: ['query'] },
  request: { query: schemas.jobsQuery },
  reply: { status: 200, body: schemas.jobsReply },
  refusals: ['invalid_request'],
} as const satisfies Endpoint;

export const getJob = {
  summary: 'Read a job',
  description:
    'Returns all fields of a job. Optional fields that were never set are left out. The header `ETag` holds the version, for ' +
    '`If-Match` of a later change.\n\n' +
    '`progress` of a job in flight is the newest that its device or the drone platform has said, so it can change while `version` stays.',
  scope: 'command:read',
  handler: 'jobs/get-job',
  tag: 'Jobs',
  // In flight the newest progress is in what the device reported.
  tables: { jobs: ['get'], fleet: ['get'] },
  request: {},
  reply: { status: 200, body: schemas.jobReply, versioned: true, links: 'job' },
  refusals: ['job_not_found'],
} as const satisfies Endpoint;

export const updateJob = {
  summary: 'Change a job',
  description: () =>
    'Changes the given fields and leaves the others as they are. `metadata` is replaced as a whole, not merged. `{}` and the ' +
    'status that the job already has change nothing; any other field counts as a change, and `version` grows.\n\n' +
    `\`status\` moves only along the lifecycle: ${allMoves}. ` +
    'Another move is 400 with both statuses in `details`. Once the drone platform has reported on a job, its status is the platform’s ' +
    'word: only `CANCELLED` can be set, while the job is `QUEUED`, and another status is 400 with what to do in `details`. Setting `CANCELLED` ' +
    'has the same effect as cancelling, but a job that can’t be cancelled is refused with `invalid_request` instead of `Cannot ' +
    'cancel job`, one that is cancelled already is answered with 200, and the reply has no `cancelledAt`.\n\n' +
    'A job can be changed in every status, also when it is final. `deviceId`, `deviceGroupId`, `missionId`, `scheduledAt`, `desiredLocation`, ' +
    '`actionOnArrival` and `flight` can’t be changed: cancel the job and create another.',
  scope: 'command:update',
  handler: 'jobs/update-job',
  tag: 'Jobs',
  tables: { jobs: ['update', 'get'] },
  request: { body: jobChange },
  reply: { status: 200, body: schemas.updatedJobReply, versioned: true },
  refusals: ['invalid_request', 'job_not_found', 'stale_version'],
} as const satisfies Endpoint;

export const deleteJob = {
  summary: 'Delete a job',
  description:
    'Deletes a job in any status. It is gone at once: reading it is 404, and its channel gets a final message with `deleted`. ' +
    'The drone platform is told. A drone that is flying the job gets the command `RETURN_HOME`, whose `origin` is `service`, and what it still reports about the job is ' +
    'ignored. To keep the record of a job that has not started, cancel it instead.',
  scope: 'command:update',
  handler: 'jobs/delete-job',
  tag: 'Jobs',
  tables: { jobs: ['delete'] },
  request: {},
  reply: { status: 200, body: messageReply },
  refusals: ['job_not_found'],
} as const satisfies Endpoint;

export const cancelJob = {
  summary: 'Cancel a job that is PENDING or QUEUED',
  description:
    'Cancels a job that is `PENDING` or `QUEUED`. A job in any other status, also one that is cancelled already, is 400 ' +
    '`Cannot cancel job`. A job in flight can’t be cancelled: `details` names the command that ends the flight, `RETURN_HOME`. The request needs no body; one that is sent is ignored.',
  scope: 'command:update',
  handler: 'jobs/cancel-job',
  tag: 'Jobs',
  tables: { jobs: ['update'] },
  request: {},
  reply: { status: 200, body: schemas.cancelledJobReply },
  refusals: ['job_not_found', 'cannot_cancel'],
} as const satisfies Endpoint;
