import { telemetryFollowersOf, type Connection } from '../../data/connections';
import { closeSocket, postToSocket } from '../../data/sockets';
import type { Device } from '../../domain/fleet';
import { eachAtOnce } from '../each-at-once';
import { logger } from '../logger';
import { readOnce } from '../read-once';
import { viewerMessage } from './viewer-message';

async function allFollowersOf(id: string): Promise<Connection[]> {
  const found: Connection[] = [];
  for await (const page of telemetryFollowersOf(id)) found.push(...page);
  return found;
}

/** Who follows a device. */
export type FollowersOf = (device: Device) => Promise<Connection[]>;

/**
 * Finds who follows each device that reports at the same time: by itself or by its group, each once. A group is asked
 * for once, however many of its devices report.
 */
export function findFollowers(): FollowersOf {
  const followersOf = readOnce(allFollowersOf, (id) => id);
  return async ({ deviceId, deviceGroupId }) => {
    const found = await Promise.all([followersOf(deviceId), followersOf(deviceGroupId)]);
    return [...new Map(found.flat().map((follower) => [follower.connectionId, follower])).values()];
  };
}

/** Nobody hears of a device past the end of their token or share. */
async function send(follower: Connection, texts: readonly string[]): Promise<void> {
  if (follower.expiresAt * 1000 > Date.now()) {
    for (const text of texts) if (!(await postToSocket(follower, text))) return;
  } else if (follower.shareCode === undefined) await closeSocket(follower);
  // A viewer is closed by the last word on its share, which it would not hear else.
}

/** The same messages for partners and for viewers, who hear less. */
interface Texts {
  readonly partner: readonly string[];
  readonly viewer: readonly string[];
}

/** One follower's trouble is neither the others' nor the publisher's. */
const sendTo = (texts: Texts) => async (follower: Connection) => {
  try {
    await send(follower, follower.shareCode === undefined ? texts.partner : texts.viewer);
  } catch (error) {
    const { connectionId } = follower;
    logger.warn('a socket could be neither reached nor closed', { connectionId, error });
  }
};

/** Sends messages about a device, in their order, to everyone who follows it. */
export async function deliver(
  device: Device,
  messages: readonly object[],
  followersOf: FollowersOf = findFollowers(),
): Promise<void> {
  const partner = messages.map((message) => JSON.stringify(message));
  const viewer = messages.map((message) => JSON.stringify(viewerMessage(message)));
  await eachAtOnce(await followersOf(device), sendTo({ partner, viewer }));
}
