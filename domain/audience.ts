import * as z from 'zod/mini';

/**
 * Until when somebody may follow the telemetry or the positions of a resource, Unix seconds: over WebSocket connections, and by
 * subscriptions to its MQTT topic. Absent until somebody does.
 */
export const followedUntil = z.object({ socketsUntil: z.optional(z.int()), topicUntil: z.optional(z.int()) });
export type FollowedUntil = z.output<typeof followedUntil>;

/** Whether somebody may follow at a time. @param until Unix seconds */
export const isFollowed = (until: number | undefined, now: Date): boolean =>
  until !== undefined && until * 1000 > now.getTime();
