import type { Fields, Objects } from '../terms/field';

/** Fields of a client's limits. */
export const limitFields: Fields = {
  burst: {
    description: 'How many calls may come at once before `limit` applies; only where this is allowed.',
    examples: [100],
    minimum: 1,
  },
  connections: { description: 'Open WebSocket connections of the client: status channels and telemetry together.' },
  default: { description: 'The value without the field.', examples: [10] },
  limits: { description: 'The limits. Others may be added: ignore those that you don’t know.' },
  maximum: { description: 'The largest value.', examples: [1000] },
  minimum: { description: 'The smallest value.', examples: [1] },
  operation: {
    description:
      'What is called: method and path of an endpoint, or `WebSocket handshake` for channels and telemetry together.',
    examples: ['POST /v3/jobs/create'],
  },
  rates: {
    description: 'How often the client may call what. An operation that is not in the list has no limit of its own.',
  },
  resetAt: {
    description: 'When the next window begins, with all calls left again. ISO 8601 in UTC.',
    examples: ['2026-11-27T10:31:00.000Z'],
    format: 'date-time',
  },
  subscriptions: { description: 'MQTT subscriptions of the client over all its connections.' },
  used: { description: 'How many there are now.', examples: [3], minimum: 0 },
  windowSeconds: { description: 'Length of a window of the clock in seconds.', examples: [60], minimum: 1 },
  'Limits.shares': { description: 'Bounds of the fields of a new share. The number of shares is not limited.' },
  'Quota.limit': { description: 'How many the client may have at the same time.', examples: [50], minimum: 0 },
  'Quota.remaining': { description: 'How many more the client may have.', examples: [47], minimum: 0 },
  'RateLimit.limit': { description: 'Calls in a window.', examples: [60], minimum: 0 },
  'RateLimit.remaining': {
    description: 'Calls that are left in this window. Left out where the service can’t tell.',
    examples: [57],
    minimum: 0,
  },
  'ShareBounds.expiresIn': { description: 'Bounds of the lifetime of a share, in seconds.' },
  'ShareBounds.maxViewers': { description: 'Bounds of the number of viewers at the same time.' },
};

/** Objects in replies, by the export of their schema: generated clients have a class for each. */
export const limitObjects: Objects = {
  limits: 'What a client may do, and what is left of it.',
  rateLimit: 'How often a client may call an operation.',
  quota: 'How many of something a client may have at the same time.',
  shareBounds: 'Bounds of the fields of a new share.',
  bounds: 'Bounds of a number in a request, both included.',
};
