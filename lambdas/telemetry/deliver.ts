import { telemetryFollowersOf, type Connection } from '../../data/connections';
import { closeSocket, postToSocket } from '../../data/sockets';
import type { Device } from '../../domain/fleet';
import { eachAtOnce } from '../each-at-once';
import { logger } from '../logger';

/** Who follows a device: by itself or by its group, each once. */
async function followersOf({ deviceId, deviceGroupId }: Device): Promise<Connection[]> {
  const found = new Map<string, Connection>();
  const collect = async (id: string) => {
    for await (const page of telemetryFollowersOf(id))
      for (const follower of page) found.set(follower.connectionId, follower);
  };
  await Promise.all([collect(deviceId), collect(deviceGroupId)]);
  return [...found.values()];
}

/** Nobody hears of a device past the end of their token or share. */
async function send(follower: Connection, texts: readonly string[]): Promise<void> {
  if (follower.expiresAt * 1000 > Date.now()) {
    for (const text of texts) if (!(await postToSocket(follower, text))) return;
  } else if (follower.shareCode === undefined) await closeSocket(follower);
  // A viewer is closed by the last word on its share, which it would not hear else.
}

/** One follower's trouble is neither the others' nor the publisher's. */
const sendTo = (texts: readonly string[]) => async (follower: Connection) => {
  try {
    await send(follower, texts);
  } catch (error) {
    const { connectionId } = follower;
    logger.warn('a socket could be neither reached nor closed', { connectionId, reason: String(error) });
  }
};

/** Sends messages about a device, in their order, to everyone who follows it. */
export async function deliver(device: Device, messages: readonly object[]): Promise<void> {
  const texts = messages.map((message) => JSON.stringify(message));
  await eachAtOnce(await followersOf(device), sendTo(texts));
}
