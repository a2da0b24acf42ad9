import { type Endpoint } from '../terms/endpoint';
import { scopes } from '../terms/scopes';
import * as schemas from './limits.schemas';

// The endpoint for a client's limits.

export const getLimits = {
  summary: 'Read the limits of the client and what is left of them',
  description:
    'Returns every limit of the calling client: how often it may call what in a minute, its WebSocket connections, its MQTT ' +
    'subscriptions, and the bounds of shares. Asking is not limited and uses up nothing.\n\n' +
    'The numbers are those by which the service refuses, at the time of the call. An MQTT subscription, or its end, counts ' +
    'a moment later, when AWS IoT has reported it. A connection that broke without a close counts until the service notices.\n\n' +
    'AWS counts token requests and does not tell how many are left, so that entry has neither `remaining` nor `resetAt`.',
  scope: scopes,
  handler: 'access/get-limits',
  tag: 'Limits',
  tables: { requests: ['batchGet'], connections: ['batchGet', 'query'] },
  request: {},
  reply: { status: 200, body: schemas.limitsReply },
  refusals: [],
} as const satisfies Endpoint;
