import * as z from 'zod/mini';
import { judged } from '../../domain/values/judged';
import { listOfDistinct } from '../../domain/values/list-of-distinct';
import { reportedSample } from '../../domain/telemetry/reported-sample';
import { name } from '../../domain/values/text';
import { scopes, type Scope } from '../terms/scopes';
import { publishWarning, refusedSample } from '../terms/message-fault';
import { messageId as id } from '../terms/message-id';
import type { WebSocketAction } from '../terms/websocket-action';

// Actions of partners on the telemetry endpoint.

/**
 * Maximum of samples in one message. API Gateway closes a socket that sends a frame of more than 32 KB (quotas of WebSocket
 * APIs), and most clients send a message as one frame: this many samples fit with every field set. Only the vendor-specific
 * part of `sensorPayload` may need a message of several frames, of at most 128 KB.
 */
export const MAX_SAMPLES = 40;

const target = { deviceId: z.optional(name), deviceGroupId: z.optional(name) };

/** What names exactly one of a device and a group. */
const oneTarget = z.refine<{ readonly deviceId?: string | undefined; readonly deviceGroupId?: string | undefined }>(
  ({ deviceId, deviceGroupId }) => (deviceId === undefined) !== (deviceGroupId === undefined),
  { error: 'needs either deviceId or deviceGroupId' },
);
const subscription = z.strictObject({ action: z.string(), id, ...target }).check(oneTarget);
const newSubscription = z
  .strictObject({ action: z.string(), id, ...target, batch: z.optional(z.boolean()) })
  .check(oneTarget);

export const subscribe = {
  needs: 'resources:read',
  lasting: true,
  message: newSubscription,
  reply: z.object({ type: z.literal('subscribed'), ...target, batch: z.optional(z.literal(true)) }),
  refusals: ['resource_not_found', 'device_group_not_found'],
  handler: 'telemetry/subscribe',
  tables: { connections: ['put', 'delete'], fleet: ['get', 'batchGet', 'update'] },
  bindings: ['snapshots'],
} as const satisfies WebSocketAction;

export const unsubscribe = {
  needs: 'resources:read',
  message: subscription,
  reply: z.object({ type: z.literal('unsubscribed'), ...target }),
  refusals: [],
  handler: 'telemetry/unsubscribe',
  tables: { connections: ['delete'] },
} as const satisfies WebSocketAction;

export const publish = {
  needs: 'stream:publish',
  message: z.strictObject({
    action: z.string(),
    id,
    // A single sample becomes a list of one, so that errors have the same path for both forms.
    telemetry: z.pipe(
      z.transform((one): unknown => (one === undefined || Array.isArray(one) ? one : [one])),
      listOfDistinct(judged(reportedSample), 1, MAX_SAMPLES, 'samples'),
    ),
  }),
  reply: z.object({
    type: z.literal('published'),
    accepted: z.int(),
    recorded: z.int(),
    refused: z.optional(z.array(refusedSample)),
    warnings: z.optional(z.array(publishWarning)),
  }),
  refusals: [],
  handler: 'telemetry/publish',
  tables: {},
  bindings: ['telemetry'],
} as const satisfies WebSocketAction;

/** The telemetry endpoint needs at least one of these scopes. */
export const telemetryScopes: readonly Scope[] = scopes.filter((scope) =>
  [subscribe, unsubscribe, publish].some(({ needs }) => needs === scope),
);
