import * as z from 'zod/mini';

/**
 * Until when somebody may follow the telemetry or the positions of a resource over WebSocket connections, and until
 * when somebody may be subscribed to its MQTT topic; Unix seconds. Absent until somebody does.
 */
export const followedUntil = z.object({ socketsUntil: z.optional(z.int()), topicUntil: z.optional(z.int()) });
export type FollowedUntil = z.output<typeof followedUntil>;

/** Whether somebody may follow at a time. @param until Unix seconds */
export const isFollowed = (until: number | undefined, now: Date): boolean =>
  until !== undefined && until * 1000 > now.getTime();

/** Whether somebody may follow a resource at a time, over sockets or its topic; nobody follows what is not known. */
export const isAnybodyFollowing = ({ socketsUntil, topicUntil }: FollowedUntil = {}, now: Date): boolean =>
  isFollowed(socketsUntil, now) || isFollowed(topicUntil, now);

/** The clock of a function may be ahead of that of AWS IoT, which ends the sessions, in seconds. */
const CLOCKS_DIFFER_S = 60;

/**
 * Whether somebody may be subscribed to a topic, or connected, at a time. Every session ends before `until`, so nobody
 * misses what is no longer published; the margin is for clocks.
 * @param until Unix seconds
 */
export const mayBeSubscribed = (until: number | undefined, now: Date): until is number =>
  until !== undefined && isFollowed(until + CLOCKS_DIFFER_S, now);
