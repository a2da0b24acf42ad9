import type { DeviceTelemetryMessage } from '../../contract/socket-messages';
import { telemetryFollowersOf, type Follower } from '../../data/connections/followers';
import { isFollowed } from '../../domain/followed-until';
import type { Device } from '../../domain/fleet';
import { withConcurrency } from '../concurrency';
import { logger } from '../logger';
import { sendToFollower, outgoing, type OutgoingMessage } from '../delivery/followers';
import { followedGroup } from '../delivery/followed-group';
import { memoise } from '../delivery/memoise';
import { broadcastSamples } from './broadcast-samples';
import { continues } from './continues';
import { viewerMessage } from './viewer-message';

async function allFollowersOf(id: string): Promise<Follower[]> {
  const found: Follower[] = [];
  for await (const page of telemetryFollowersOf(id)) found.push(...page);
  return found;
}

export type FollowersOf = (device: Device) => Promise<Follower[]>;

/**
 * Finds the followers of each device in a batch, by the device or by its group, each socket once. The followers of a group
 * are read once, however many of its devices report, and none are read where nobody may follow.
 */
export function findFollowers(now: Date): FollowersOf {
  const followersOf = memoise(allFollowersOf, (id) => id);
  return async ({ deviceId, deviceGroupId, socketsUntil }) => {
    const group = await followedGroup(deviceGroupId);
    const found = await Promise.all([
      isFollowed(socketsUntil, now) ? followersOf(deviceId) : [],
      isFollowed(group.socketsUntil, now) ? followersOf(deviceGroupId) : [],
    ]);
    // Of two items of one socket, use the one that gets messages directly: the last in the list wins.
    const waitingFirst = found
      .flat()
      .toSorted((one, other) => Number(other.bufferingSince ?? false) - Number(one.bufferingSince ?? false));
    return [...new Map(waitingFirst.map((follower) => [follower.connectionId, follower])).values()];
  };
}

/** Sends nothing after the follower's token or share has expired. */
async function send(follower: Follower, all: readonly OutgoingMessage[]): Promise<void> {
  if (follower.broadcast !== undefined) return broadcastSamples(follower, all);
  const mayReceive = follower.expiresAt * 1000 > Date.now() || (await continues(follower));
  if (mayReceive) await sendToFollower(follower, all);
}

/** The same messages for partners, and for viewers with fewer fields. */
interface MessagesByAudience {
  readonly partner: readonly OutgoingMessage[];
  readonly viewer: readonly OutgoingMessage[];
}

/** One follower's failure must affect neither the others nor the publisher. */
const sendTo = (all: MessagesByAudience) => async (follower: Follower) => {
  try {
    await send(follower, follower.shareCode === undefined ? all.partner : all.viewer);
  } catch (error) {
    const { connectionId } = follower;
    logger.warn('socket could be neither posted to nor closed', { connectionId, error });
  }
};

/** Sends messages about a device, in order, to all of its followers. */
export async function deliverTelemetry(
  device: Device,
  messages: readonly DeviceTelemetryMessage[],
  followersOf: FollowersOf,
): Promise<void> {
  const partner = messages.map((message) => outgoing(message));
  const viewer = messages.map((message) => outgoing(viewerMessage(message)));
  await withConcurrency(await followersOf(device), sendTo({ partner, viewer }));
}
