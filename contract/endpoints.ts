import { jobChange, jobRequest } from '../domain/job';
import { shareRequest } from '../domain/share';
import type { Endpoint } from './endpoint';
import * as schemas from './schemas';

const listShares = {
  summary: 'List the active shares of the organisation',
  scope: 'share:read',
  handler: 'shares/list-shares',
  tables: { shares: ['query'] },
  settings: ['SHARE_BASE_URL'],
  request: { query: schemas.pageQuery },
  reply: { status: 200, body: schemas.sharesReply },
  refusals: ['invalid_request'],
} as const satisfies Endpoint;

const getShare = {
  summary: 'Read a share',
  scope: 'share:read',
  handler: 'shares/get-share',
  tables: { shares: ['get'] },
  settings: ['SHARE_BASE_URL'],
  request: {},
  reply: { status: 200, body: schemas.shareReply },
  refusals: ['share_not_found'],
} as const satisfies Endpoint;

const revokeShare = {
  summary: 'Revoke a share',
  scope: 'share:manage',
  handler: 'shares/revoke-share',
  tables: { shares: ['delete'] },
  request: {},
  reply: { status: 200, body: schemas.messageReply },
  refusals: ['share_not_found'],
} as const satisfies Endpoint;

/**
 * Every HTTP endpoint, declared once (spec section 4). API Gateway's methods, IAM grants, environment,
 * the authorizer's policy, rate limits and the 405s with `Allow` derive from this table.
 */
export const endpoints = {
  'POST /v3/auth/token': {
    summary: 'Get an access token',
    scope: null,
    handler: 'auth/issue-token',
    tables: { partners: ['get'] },
    settings: ['TOKEN_URL'],
    request: { body: schemas.tokenRequest },
    reply: { status: 200, body: schemas.tokenReply },
    refusals: ['invalid_request', 'unsupported_grant_type', 'invalid_client', 'forbidden'],
  },
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
    reply: { status: 200, body: schemas.messageReply },
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
  'POST /v3/streams/share': {
    summary: "Share a device's live video or status by link",
    scope: 'stream:share',
    handler: 'shares/create-share',
    perMinute: 30,
    idempotent: true,
    tables: { requests: ['get', 'update', 'put'], fleet: ['get'], shares: ['put'] },
    settings: ['SHARE_BASE_URL'],
    request: { body: shareRequest },
    reply: { status: 201, body: schemas.createdShareReply },
    refusals: ['invalid_request', 'resource_not_found'],
  },
  'GET /v3/streams/share': listShares,
  'GET /v3/streams/share/{shareCode}': getShare,
  'DELETE /v3/streams/share/{shareCode}': revokeShare,
  'GET /v3/shares': listShares,
  'GET /v3/shares/{shareCode}': getShare,
  'DELETE /v3/shares/{shareCode}': revokeShare,
  'GET /v3/shares/{shareCode}/resources': {
    summary: 'List what stands behind a share',
    scope: 'share:read',
    handler: 'shares/list-share-resources',
    perMinute: 120,
    tables: { requests: ['update'], shares: ['get'], fleet: ['get', 'query'] },
    video: true,
    request: {},
    reply: { status: 200, body: schemas.shareResourcesReply },
    refusals: ['share_not_found'],
  },
  'GET /v3/resources': {
    summary: 'List the device groups of the organisation with their devices',
    scope: 'resources:read',
    handler: 'resources/list-resources',
    tables: { fleet: ['query'] },
    request: {},
    reply: { status: 200, body: schemas.resourcesReply },
    refusals: [],
  },
} as const satisfies Record<string, Endpoint>;

export type EndpointKey = keyof typeof endpoints;
