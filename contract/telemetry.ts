import * as z from 'zod/mini';
import { command, controlOutcomes, controlReasons } from '../domain/control';
import { list } from '../domain/list';
import type { RefusalCode } from '../domain/refusal';
import { sample } from '../domain/telemetry';
import { text } from '../domain/text';
import type { Scope } from './endpoint';
import { messageId as id } from './message-id';

/** Path of the telemetry endpoint below {ws_url} (spec section 6). */
export const TELEMETRY_PATH = '/telemetry';

/**
 * Subprotocols that the share page offers. A browser can't see why a handshake was refused, so the page is let in either
 * way, and the subprotocol that is agreed on says which: it may watch, or what keeps it out. Others get 404 or 429.
 */
export const shareProtocols = {
  watching: 'share',
  share_not_found: 'share.not-found',
  too_many_viewers: 'share.full',
} as const satisfies Partial<Record<RefusalCode | 'watching', string>>;

/**
 * Most samples in one message. API Gateway closes a socket that sends a frame of more than 32 KB (quotas of WebSocket
 * APIs), and most clients send a message as one frame: so many samples fit with every field that a sample has. Only the
 * maker's own part of `sensorPayload` may need a message of several frames, of at most 128 KB.
 */
export const MAX_SAMPLES = 40;

const name = text(1, 256);

const followed = z
  .strictObject({ action: z.string(), id, deviceId: z.optional(name), deviceGroupId: z.optional(name) })
  .check(
    z.refine(({ deviceId, deviceGroupId }) => (deviceId === undefined) !== (deviceGroupId === undefined), {
      error: 'needs either deviceId or deviceGroupId',
    }),
  );

/** What a client may send, by action (DESIGN section 3): its form, and the scope it needs or `viewer` for share links. */
export const telemetryActions = {
  subscribe: { needs: 'resources:read', message: followed },
  unsubscribe: { needs: 'resources:read', message: followed },
  publish: {
    needs: 'stream:publish',
    message: z.strictObject({
      action: z.string(),
      id,
      // One sample is a list of one, so that a fault in it is named as in a list.
      telemetry: z.pipe(
        z.transform((one): unknown => (Array.isArray(one) ? one : [one])),
        list(sample, 1, MAX_SAMPLES, 'samples'),
      ),
    }),
  },
  control: {
    needs: 'viewer',
    message: z.strictObject({ action: z.string(), id, command }),
  },
  playback: { needs: 'viewer', message: z.strictObject({ action: z.string(), id }) },
} as const satisfies Record<string, { needs: Scope | 'viewer'; message: z.ZodMiniType }>;

export type TelemetryAction = keyof typeof telemetryActions;

/** What a viewer hears of a command that was accepted, once the drone platform has reported what became of it. */
export const controlOutcomeMessage = z.object({
  type: z.literal('control.outcome'),
  /** That of the answer `accepted`. */
  requestId: z.string(),
  deviceId: z.string(),
  outcome: z.enum(controlOutcomes),
  /** Why not, when the platform says so. */
  reason: z.optional(z.enum(controlReasons)),
  /** When it was so; ISO 8601 in UTC. */
  timestamp: z.string(),
});
export type ControlOutcomeMessage = z.output<typeof controlOutcomeMessage>;
