import type { Endpoint } from '../endpoint';
import * as schemas from '../schemas/fleet';

/** What a partner can see of its fleet, also through a share. */
export const fleetEndpoints = {
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
