import * as z from 'zod/mini';
import { command } from '../domain/control';
import { judged } from '../domain/judged';
import { list } from '../domain/list';
import { sample } from '../domain/telemetry';
import { text } from '../domain/text';
import { scopes, type Scope } from './endpoint';
import { messageId as id } from './message-id';
import { refusedSample } from './message-fault';
import { flightMessage, playbackMessage } from './share-page';
import type { WebSocketAction } from './websocket-action';

/** Path of the telemetry endpoint below {ws_url} (spec section 6). */
export const TELEMETRY_PATH = '/telemetry';

/**
 * Maximum of samples in one message. API Gateway closes a socket that sends a frame of more than 32 KB (quotas of WebSocket
 * APIs), and most clients send a message as one frame: this many samples fit with every field set. Only the vendor-specific
 * part of `sensorPayload` may need a message of several frames, of at most 128 KB.
 */
export const MAX_SAMPLES = 40;

/** Maximum length of a token, in characters: the REST API accepts headers of 10,240 bytes in all, so none is longer. */
const MAX_TOKEN = 8192;

const name = text(1, 256);
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
const withoutFields = z.strictObject({ action: z.string(), id });

/** Every action that a client may send (DESIGN section 3). */
export const webSocketActions = {
  ping: {
    needs: 'anyone',
    message: z.object({ action: z.string(), id }),
    reply: z.object({
      type: z.literal('pong'),
      /** The service's time; ISO 8601 in UTC. */
      timestamp: z.string(),
    }),
    refusals: ['unknown_action'],
    handler: 'answer-message',
    tables: {},
  },
  authenticate: {
    needs: 'partner',
    message: z.strictObject({ action: z.string(), id, token: text(1, MAX_TOKEN) }),
    reply: z.object({
      type: z.literal('authenticated'),
      /** When the socket will be closed; ISO 8601 in UTC. */
      expiresAt: z.string(),
      /** The token lacks `resources:read`. */
      subscriptionsEnded: z.optional(z.literal(true)),
    }),
    refusals: ['unauthorized', 'unknown_action'],
    handler: 'authenticate',
    tables: { connections: ['query', 'update', 'delete'], partners: ['get'] },
    bindings: ['tokens', 'sockets'],
  },
  subscribe: {
    needs: 'resources:read',
    lasting: true,
    message: newSubscription,
    reply: z.object({ type: z.literal('subscribed'), ...target, batch: z.optional(z.literal(true)) }),
    refusals: ['resource_not_found', 'device_group_not_found'],
    handler: 'subscribe',
    tables: { connections: ['put', 'delete'], fleet: ['get', 'batchGet', 'update'] },
    bindings: ['snapshots'],
  },
  unsubscribe: {
    needs: 'resources:read',
    message: subscription,
    reply: z.object({ type: z.literal('unsubscribed'), ...target }),
    refusals: [],
    handler: 'unsubscribe',
    tables: { connections: ['delete'] },
  },
  publish: {
    needs: 'stream:publish',
    message: z.strictObject({
      action: z.string(),
      id,
      // A single sample becomes a list of one, so that errors have the same path for both forms.
      telemetry: z.pipe(
        z.transform((one): unknown => (one === undefined || Array.isArray(one) ? one : [one])),
        list(judged(sample), 1, MAX_SAMPLES, 'samples'),
      ),
    }),
    reply: z.object({
      type: z.literal('published'),
      accepted: z.int(),
      recorded: z.int(),
      refused: z.optional(z.array(refusedSample)),
    }),
    refusals: [],
    handler: 'publish',
    tables: {},
    bindings: ['telemetry'],
  },
  control: {
    needs: 'viewer',
    message: z.strictObject({ action: z.string(), id, command }),
    reply: z.object({ type: z.literal('accepted'), requestId: z.string() }),
    refusals: ['too_many_requests'],
    handler: 'control',
    tables: { shares: ['get'], partners: ['get'], requests: ['update', 'put'] },
    bindings: ['platform'],
  },
  playback: {
    needs: 'viewer',
    message: withoutFields,
    reply: playbackMessage,
    refusals: ['share_not_found'],
    handler: 'playback',
    tables: { shares: ['get'], partners: ['get'], fleet: ['query'] },
    bindings: ['video'],
  },
  flight: {
    needs: 'viewer',
    message: withoutFields,
    reply: flightMessage,
    refusals: ['share_not_found'],
    handler: 'flight',
    tables: {
      shares: ['get'],
      partners: ['get'],
      fleet: ['get'],
      jobs: ['get'],
      missions: ['get'],
      flights: ['query'],
    },
  },
} as const satisfies Record<string, WebSocketAction>;

export type WebSocketActionName = keyof typeof webSocketActions;

/** The telemetry endpoint needs at least one of these scopes. */
export const telemetryScopes: readonly Scope[] = scopes.filter((scope) =>
  Object.values(webSocketActions).some(({ needs }) => needs === scope),
);
