import * as z from 'zod/mini';
import { list } from './list';
import { metadata } from './metadata';
import { text } from './text';

export const shareTypes = ['STREAM', 'DEVICE_STATUS'] as const;
export const permissions = ['view', 'control'] as const;

const permissionList = z.pipe(
  list(z.enum(permissions), 1, 10, 'permissions'),
  z.transform((given) => permissions.filter((permission) => given.includes(permission))),
);

/** What a partner asks for with a new share (spec section 4; bounds: DESIGN section 3). */
export const shareRequest = z.strictObject({
  resourceId: text(1, 256),
  shareType: z.enum(shareTypes),
  permissions: z._default(permissionList, ['view']),
  expiresIn: z._default(z.int().check(z.minimum(60), z.maximum(86_400)), 3600),
  maxViewers: z._default(z.int().check(z.minimum(1), z.maximum(1000)), 10),
  metadata: z.optional(metadata),
});

/** A link to one device's live video or status, as it is kept. */
export const share = z.object({
  shareCode: z.string(),
  resourceId: z.string(),
  /** The device that stands behind `resourceId`, which may name one of its streams. */
  deviceId: z.string(),
  shareType: z.enum(shareTypes),
  permissions: z.array(z.enum(permissions)),
  expiresAt: z.string(),
  maxViewers: z.int(),
  currentViewers: z.int(),
  /** Grows by one with every change. */
  version: z.int(),
  createdAt: z.string(),
  metadata: z.optional(metadata),
  /** Its time was up when it was removed: what is removed without was revoked. */
  expired: z.optional(z.literal(true)),
});

/**
 * How often a share lets viewers in within a minute: all of them may come back once, and many a page may be loaded anew. Who
 * comes and leaves on and on keeps nobody busy beyond that.
 */
export const arrivalsPerMinute = ({ maxViewers }: Pick<Share, 'maxViewers'>): number => 60 + maxViewers;

export type ShareRequest = z.output<typeof shareRequest>;
export type Share = z.output<typeof share>;

/** The share that a request makes; it lives for `expiresIn` seconds from `now` (ISO 8601). */
export const newShare = (
  { expiresIn, ...request }: ShareRequest,
  deviceId: string,
  shareCode: string,
  now: string,
): Share => ({
  ...request,
  shareCode,
  deviceId,
  currentViewers: 0,
  version: 1,
  createdAt: now,
  expiresAt: new Date(Date.parse(now) + expiresIn * 1000).toISOString(),
});

/** Whether a share stands no more; both are ISO 8601 in UTC. An expired share is as good as none (spec section 2). */
export const hasExpired = (share: Pick<Share, 'expiresAt'>, now: string) => share.expiresAt <= now;
