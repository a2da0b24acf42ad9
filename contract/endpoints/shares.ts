import { shareRequest } from '../../domain/share';
import type { Endpoint } from '../endpoint';
import * as schemas from '../schemas/shares';
import { messageReply, pageQuery } from '../schemas/page';

const listShares = {
  summary: 'List the active shares of the organisation',
  scope: 'share:read',
  handler: 'shares/list-shares',
  tables: { shares: ['query'] },
  settings: ['SHARE_BASE_URL'],
  request: { query: pageQuery },
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
  tables: { shares: ['delete'], connections: ['query', 'delete', 'update'] },
  closesSockets: true,
  request: {},
  reply: { status: 200, body: messageReply },
  refusals: ['share_not_found'],
} as const satisfies Endpoint;

/** Links to live video or status. */
export const sharesEndpoints = {
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
} as const satisfies Record<string, Endpoint>;
