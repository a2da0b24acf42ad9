import * as z from 'zod/mini';
import { command } from '../domain/control';
import { judged } from '../domain/judged';
import { list } from '../domain/list';
import { sample } from '../domain/telemetry';
import { text } from '../domain/text';
import { scopes, type Scope } from './endpoint';
import { messageId as id } from './message-id';
import { refusedSample } from './socket-messages';
import { flightMessage, MAX_TRACK_POINTS, playbackMessage } from './share-page';
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
    summary: 'Check that the connection works',
    description: 'The answer is `pong`. An action that the channel does not know gets the error `unknown_action`.',
    needs: 'anyone',
    message: z.object({ action: z.string(), id }),
    reply: z.object({ type: z.literal('pong') }),
    refusals: ['unknown_action'],
    handler: 'answer-message',
    tables: {},
  },
  authenticate: {
    summary: 'Go on with a new token',
    description:
      'The socket then lasts as long as the new token, at most two hours from its handshake. The token must be of the client that opened the socket. Its scopes are in force from then on: a socket that needs a scope which it lacks is closed after the error `forbidden`, and without `resources:read` subscriptions to telemetry end (`subscriptionsEnded`).',
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
    summary: 'Subscribe to the telemetry of a device or of a device group',
    description:
      'The reply is followed by the last known state of each device that ever reported, with `"snapshot": true`, and then by every sample; with `"batch": true` those that arrive together come as one `device.telemetry.batch`. A device that is subscribed to twice is sent once. A subscription lasts as long as the socket.',
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
    summary: 'End a subscription to telemetry',
    description: 'Ends the subscription to exactly this device or group, if there is one.',
    needs: 'resources:read',
    message: subscription,
    reply: z.object({ type: z.literal('unsubscribed'), ...target }),
    refusals: [],
    handler: 'unsubscribe',
    tables: { connections: ['delete'] },
  },
  publish: {
    summary: 'Publish telemetry of devices',
    description: () =>
      `One sample, or a list of up to ${MAX_SAMPLES}, of devices of your organisation, each judged by itself: \`refused\` names those that are not accepted; when none is left the answer is an error. A late sample is not delivered, but its position is recorded. Wait for the reply before the next message if the order matters.`,
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
    summary: 'Send a command to the drone',
    description:
      'Needs a share with the permission `control`. `accepted` means sent to the drone platform, not executed by the drone. An outcome that is reported within ten minutes reaches all viewers of the share as `control.outcome` with the same `requestId`.',
    needs: 'viewer',
    message: z.strictObject({ action: z.string(), id, command }),
    reply: z.object({ type: z.literal('accepted'), requestId: z.string() }),
    refusals: ['too_many_requests'],
    handler: 'control',
    tables: { shares: ['get'], partners: ['get'], requests: ['update', 'put'] },
    bindings: ['platform'],
  },
  playback: {
    summary: 'Get the address of the live video',
    description:
      'Needs a share of the type `STREAM`. The address works until its `expiresAt`, at most five minutes. The first one comes unasked.',
    needs: 'viewer',
    message: withoutFields,
    reply: playbackMessage,
    refusals: ['share_not_found'],
    handler: 'playback',
    tables: { shares: ['get'], partners: ['get'], fleet: ['query'] },
    bindings: ['video'],
  },
  flight: {
    summary: 'Get the current flight of the shared device',
    description: () =>
      `The names of the device and of its job, the take-off, and the track since then: a position every five seconds, at most ${MAX_TRACK_POINTS}, further apart in a long flight, up to the last known one. It is empty when the device is not in flight. Ask once: samples continue the track.`,
    needs: 'viewer',
    message: withoutFields,
    reply: flightMessage,
    refusals: ['share_not_found'],
    handler: 'flight',
    tables: { shares: ['get'], partners: ['get'], fleet: ['get'], jobs: ['get'], flights: ['query'] },
  },
} as const satisfies Record<string, WebSocketAction>;

export type WebSocketActionName = keyof typeof webSocketActions;

/** The telemetry endpoint needs at least one of these scopes. */
export const telemetryScopes: readonly Scope[] = scopes.filter((scope) =>
  Object.values(webSocketActions).some(({ needs }) => needs === scope),
);
