import type { Endpoint } from '../terms/endpoint';
import * as schemas from './fleet.schemas';

// Endpoints for a partner's device groups and devices.

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

export const getCapabilities = {
  summary: 'Read what a device can do',
  description:
    'Returns the names of the commands that a device obeys and its range, as the drone platform registered them. What is left out is not known: then the platform ' +
    'alone decides about a command.',
  scope: 'resources:read',
  handler: 'fleet/get-capabilities',
  tag: 'Resources',
  tables: { fleet: ['get'] },
  request: {},
  reply: { status: 200, body: schemas.capabilitiesReply },
  refusals: ['resource_not_found'],
} as const satisfies Endpoint;
