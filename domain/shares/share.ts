import * as z from 'zod/mini';
import { storedMetadata } from '../values/metadata';

export const shareTypes = ['STREAM', 'DEVICE_STATUS'] as const;
export const permissions = ['view', 'control'] as const;

/** Bounds and defaults of a new share (bounds: DESIGN section 3). */
export const newShareBounds = {
  /** Viewers at the same time. */
  maxViewers: { minimum: 1, maximum: 1000, default: 10 },
  /** Lifetime in seconds. */
  expiresIn: { minimum: 60, maximum: 86_400, default: 3600 },
} as const;

/** A link to one device's live video or status, as it is stored. */
export const shareRecord = z.object({
  shareCode: z.string(),
  resourceId: z.string(),
  /** The device of `resourceId`, which may identify one of the device's streams. */
  deviceId: z.string(),
  shareType: z.enum(shareTypes),
  permissions: z.array(z.enum(permissions)),
  /** Commands that its viewers may send; default: all but LAND. */
  commands: z.optional(z.array(z.string())),
  expiresAt: z.string(),
  maxViewers: z.int(),
  currentViewers: z.int(),
  /** Incremented with every change. */
  version: z.int(),
  createdAt: z.string(),
  metadata: z.optional(storedMetadata),
  /** The share is deleted because it has expired. */
  expired: z.optional(z.literal(true)),
  /** Since when it is revoked; ISO 8601. It is deleted at once, and every message of its end has this time. */
  revokedAt: z.optional(z.string()),
});

/**
 * Maximum of viewer handshakes per minute for a share: all viewers may reconnect once, and some pages may be reloaded. It
 * limits the load of a client that connects and disconnects in a loop.
 */
export const viewerHandshakesPerMinute = ({ maxViewers }: Pick<Share, 'maxViewers'>): number => 60 + maxViewers;

/** With more places than this a share page gets samples from one topic: a message for each viewer is dear and late then. */
const MOST_WITHOUT_BROADCAST = 50;

/** Whether the samples of a share are published once for all of its viewers. */
export const isBroadcast = ({ maxViewers }: Pick<Share, 'maxViewers'>): boolean => maxViewers > MOST_WITHOUT_BROADCAST;

export type Share = z.output<typeof shareRecord>;

/** Whether a share has ended; times are ISO 8601 in UTC. An expired share counts as deleted (spec section 2). */
export const hasEnded = ({ expiresAt, revokedAt }: Pick<Share, 'expiresAt' | 'revokedAt'>, now: string) =>
  revokedAt !== undefined || expiresAt <= now;
