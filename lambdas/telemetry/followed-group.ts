import { setTimeout as pause } from 'node:timers/promises';
import { readFollowed, type FollowedItem } from '../../data/channels/followed-channels';

/**
 * How long an instance relies on what it has read of followers, in ms, however many devices report meanwhile: those of a
 * group, and those of a job.
 */
export const FOLLOWERS_KNOWN_FOR_MS = 500;
/**
 * When every instance delivers to a group or job that nobody followed before, in ms after that was noted: what had been
 * read before is outdated, and what was accepted by it is stored.
 */
const NOTICED_AFTER_MS = FOLLOWERS_KNOWN_FOR_MS + 250;

/** Waits until every instance delivers to a new follower, if it may be the first one. */
export async function untilNoticed({ isUnnoticed }: { readonly isUnnoticed?: boolean | undefined }): Promise<void> {
  if (isUnnoticed) await pause(NOTICED_AFTER_MS);
}

const cache = new Map<string, { readonly followed: Promise<FollowedItem>; readonly readAt: number }>();
const MAX_CACHED = 1000;

/** Until when somebody may follow a group, as it was at most half a second ago. */
export function followedGroup(deviceGroupId: string): Promise<FollowedItem> {
  const cached = cache.get(deviceGroupId);
  const readAt = Date.now();
  if (cached && readAt - cached.readAt < FOLLOWERS_KNOWN_FOR_MS) return cached.followed;
  if (cache.size >= MAX_CACHED) cache.clear();
  const followed = readFollowed({ kind: 'group', id: deviceGroupId });
  cache.set(deviceGroupId, { followed, readAt });
  // Whoever asked gets the error; the next one reads again.
  followed.catch(() => cache.delete(deviceGroupId));
  return followed;
}
