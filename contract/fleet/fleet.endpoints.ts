import type { Endpoint } from '../terms/endpoint';
import { SHARED_RESOURCES_PER_MINUTE } from '../terms/rates';
import * as schemas from './fleet.schemas';

// Endpoints for a partner's device groups and devices, and for the device of a share.

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
  reply: { status: 200, body: schemas.shareResourcesReply },
  refusals: ['share_not_found'],
} as const satisfies Endpoint;

export const listResources = {
  summary: 'List the device groups of the organisation with their devices',
  description:
    'Returns all device groups with their devices in one reply, in the order of their creation; there are no pages. This is where ' +
    '`deviceGroupId` and `deviceId` come from.\n\n' +
    'With `include=state` each device has its `lastState`: what it reported last, and when, without `sensorPayload`. Ask for it once, and ' +
    'follow the telemetry of the group from then on, instead of polling.',
  scope: 'resources:read',
  handler: 'fleet/list-resources',
  tag: 'Resources',
  tables: { fleet: ['query'] },
  request: { query: schemas.resourcesQuery },
  reply: { status: 200, body: schemas.resourcesReply, links: 'group' },
  refusals: ['invalid_request'],
} as const satisfies Endpoint;
