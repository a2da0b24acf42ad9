import { dispatchRequest } from '../../domain/dispatch/candidate';
import type { Endpoint } from '../terms/endpoint';
import { JOBS_DISPATCHED_PER_MINUTE } from '../terms/rates';
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
