import { telemetryFollowersOf, type Follower } from '../../../data/connections/followers';
import { closeSocket } from '../../../data/connections/sockets';
import type { Device } from '../../../domain/fleet';
import { withConcurrency } from '../with-concurrency';
import { logger } from '../../logger';
import { reachFollower, said, type Said } from '../reach-follower';
import { memoise } from '../memoise';
import { viewerMessage, type Told } from './viewer-message';

async function allFollowersOf(id: string): Promise<Follower[]> {
  const found: Follower[] = [];
  for await (const page of telemetryFollowersOf(id)) found.push(...page);
  return found;
}

/** Who follows a device. */
export type FollowersOf = (device: Device) => Promise<Follower[]>;

/**
 * Finds who follows each device that reports at the same time: by itself or by its group, each once. A group is asked
 * for once, however many of its devices report.
 */
export function findFollowers(): FollowersOf {
  const followersOf = memoise(allFollowersOf, (id) => id);
  return async ({ deviceId, deviceGroupId }) => {
    const found = await Promise.all([followersOf(deviceId), followersOf(deviceGroupId)]);
    // Of two items of one socket that which hears at once.
    const waitingFirst = found
      .flat()
      .toSorted((one, other) => Number(other.waits ?? false) - Number(one.waits ?? false));
    return [...new Map(waitingFirst.map((follower) => [follower.connectionId, follower])).values()];
  };
}

/** Nobody hears of a device past the end of their token or share. */
async function send(follower: Follower, all: readonly Said[]): Promise<void> {
  if (follower.expiresAt * 1000 > Date.now()) await reachFollower(follower, all);
  else if (follower.shareCode === undefined) await closeSocket(follower);
  // A viewer is closed by the last word on its share, which it would not hear else.
}

/** The same messages for partners and for viewers, who hear less. */
interface Words {
  readonly partner: readonly Said[];
  readonly viewer: readonly Said[];
}

/** One follower's trouble is neither the others' nor the publisher's. */
const sendTo = (all: Words) => async (follower: Follower) => {
  try {
    await send(follower, follower.shareCode === undefined ? all.partner : all.viewer);
  } catch (error) {
    const { connectionId } = follower;
    logger.warn('a socket could be neither reached nor closed', { connectionId, error });
  }
};

/** Sends messages about a device, in their order, to everyone who follows it. */
export async function deliver(
  device: Device,
  messages: readonly Told[],
  followersOf: FollowersOf = findFollowers(),
): Promise<void> {
  const partner = messages.map((message) => said(message));
  const viewer = messages.map((message) => said(viewerMessage(message)));
  await withConcurrency(await followersOf(device), sendTo({ partner, viewer }));
}
