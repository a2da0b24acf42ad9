import { jobChange, jobRequest } from '../../domain/job';
import type { Endpoint } from '../endpoint';
import * as schemas from '../schemas/jobs';
import { messageReply } from '../schemas/page';

/** Drone missions. */
export const jobsEndpoints = {
  'POST /v3/jobs/create': {
    summary: 'Create a job',
    scope: 'command:create',
    handler: 'jobs/create-job',
    perMinute: 60,
    idempotent: true,
    tables: { requests: ['get', 'update', 'put'], fleet: ['batchGet'], jobs: ['put'] },
    request: { body: jobRequest },
    reply: { status: 201, body: schemas.createdJobReply },
    refusals: ['invalid_request', 'device_group_not_found'],
  },
  'GET /v3/jobs': {
    summary: 'List jobs, newest first',
    scope: 'command:read',
    handler: 'jobs/list-jobs',
    tables: { jobs: ['query'] },
    request: { query: schemas.jobsQuery },
    reply: { status: 200, body: schemas.jobsReply },
    refusals: ['invalid_request'],
  },
  'GET /v3/jobs/{jobId}': {
    summary: 'Read a job',
    scope: 'command:read',
    handler: 'jobs/get-job',
    tables: { jobs: ['get'] },
    request: {},
    reply: { status: 200, body: schemas.jobReply, versioned: true },
    refusals: ['job_not_found'],
  },
  'PATCH /v3/jobs/{jobId}': {
    summary: 'Change a job',
    scope: 'command:update',
    handler: 'jobs/update-job',
    tables: { jobs: ['update', 'get'] },
    request: { body: jobChange },
    reply: { status: 200, body: schemas.updatedJobReply, versioned: true },
    refusals: ['invalid_request', 'job_not_found', 'stale_version'],
  },
  'DELETE /v3/jobs/{jobId}': {
    summary: 'Delete a job',
    scope: 'command:update',
    handler: 'jobs/delete-job',
    tables: { jobs: ['delete'] },
    request: {},
    reply: { status: 200, body: messageReply },
    refusals: ['job_not_found'],
  },
  'POST /v3/jobs/{jobId}/cancel': {
    summary: 'Cancel a job that is PENDING or QUEUED',
    scope: 'command:update',
    handler: 'jobs/cancel-job',
    tables: { jobs: ['update'] },
    request: {},
    reply: { status: 200, body: schemas.cancelledJobReply },
    refusals: ['job_not_found', 'cannot_cancel'],
  },
} as const satisfies Record<string, Endpoint>;
