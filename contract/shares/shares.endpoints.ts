import { shareRequest } from '../../domain/shares/new-share';
import type { Endpoint } from '../terms/endpoint';
import { SHARED_RESOURCES_PER_MINUTE, SHARES_CREATED_PER_MINUTE } from '../terms/rates';
import { shareResourcesReply } from '../fleet/fleet.schemas';
import * as schemas from './shares.schemas';
import { messageReply, pageQuery } from '../terms/page.schemas';

// Endpoints for shares (links to live video or status).

export const listShares = {
  summary: 'List the active shares of the organisation',
  description:
    'Returns a page of the shares that have neither expired nor been revoked, newest first, with the number of viewers at ' +
    'present.\n\n' +
    'While there are more, the reply has a `nextToken`. A page may hold fewer elements than `limit`, even none, although there are ' +
    'more: go on until a reply has no `nextToken`.',
  scope: 'share:read',
  handler: 'shares/list-shares',
  tag: 'Shares',
  tables: { shares: ['query'] },
  settings: ['SHARE_BASE_URL'],
  request: { query: pageQuery },
  reply: { status: 200, body: schemas.sharesReply, links: 'share' },
  refusals: ['invalid_request'],
} as const satisfies Endpoint;

export const getShare = {
  summary: 'Read a share',
  description:
    'Returns a share. An expired or revoked share is 404, like one that never existed. `metadata` is not returned.',
  scope: 'share:read',
  handler: 'shares/get-share',
  tag: 'Shares',
  tables: { shares: ['get'] },
  settings: ['SHARE_BASE_URL'],
  request: {},
  reply: { status: 200, body: schemas.shareReply, links: 'share' },
  refusals: ['share_not_found'],
} as const satisfies Endpoint;

export const revokeShare = {
  summary: 'Revoke a share',
  description:
    'Ends a share at once. When the answer arrives, all viewers are disconnected; with more than 50 places that takes a moment longer. ' +
    'The share’s channel has its last message, `REVOKED`, a moment later. A video address that was issued before plays on for 300 seconds at most.',
  scope: 'share:manage',
  handler: 'shares/revoke-share',
  tag: 'Shares',
  tables: { shares: ['update', 'delete'], connections: ['query', 'get', 'delete', 'update'] },
  closesSockets: true,
  request: {},
  reply: { status: 200, body: messageReply },
  refusals: ['share_not_found'],
} as const satisfies Endpoint;

export const createShare = {
  summary: "Share a device's live video or status by link",
  description:
    'Creates a link to a public page that shows one device live, until `expiresIn` seconds have passed or the share is revoked. ' +
    'Whoever has the link can watch without a login, so treat `shareCode` and `shareUrl` like a password.\n\n' +
    '`shareType` `STREAM` shows the video and the status, `DEVICE_STATUS` the status only. The reply has only four fields: ' +
    'read the share for the others. A share can’t be changed: revoke it and create another.\n\n' +
    'An unknown `resourceId` is 404, another organisation’s 403. A device group can’t be shared, only a device of it: that is 404 too, with the cause in `details`.',
  scope: 'stream:share',
  handler: 'shares/create-share',
  tag: 'Shares',
  perMinute: SHARES_CREATED_PER_MINUTE,
  idempotent: true,
  tables: { fleet: ['get'], shares: ['put'] },
  settings: ['SHARE_BASE_URL'],
  request: { body: shareRequest },
  reply: { status: 201, body: schemas.createdShareReply, links: 'share' },
  refusals: ['invalid_request', 'resource_not_found'],
} as const satisfies Endpoint;

export const listShareResources = {
  summary: 'List the resources of a share',
  description:
    'Returns what stands behind a share: its device with the last known state and, for the type `STREAM`, an address of the live ' +
    'video. The list has one element, or none once the device has been removed.\n\n' +
    'Each call issues a new video address, which lives 300 seconds. For a continuous view follow the telemetry of the device instead ' +
    'of polling.',
  scope: 'share:read',
  handler: 'shares/list-share-resources',
  tag: 'Shares',
  perMinute: SHARED_RESOURCES_PER_MINUTE,
  tables: { shares: ['get'], fleet: ['get', 'query'] },
  video: true,
  request: {},
  reply: { status: 200, body: shareResourcesReply },
  refusals: ['share_not_found'],
} as const satisfies Endpoint;
