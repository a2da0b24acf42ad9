import { channelOf } from '../../../contract/channels';
import { followedResource, type Connection } from '../../../data/connections/connections';
import { postToSocket } from '../../../data/connections/sockets';
import { subjectOf } from '../../../domain/sequence';
import { currentState } from '../channel-state';
import { catchUp, sendFinalMessage } from './catch-up';
import { HANDSHAKE_RETRY_DELAYS_MS } from './handshake-delays';

/**
 * Sends a follower of a status channel the current state, then every change.
 * @param end final message, in case the resource has been deleted
 */
export async function sendChannelSnapshot(follower: Connection, end?: string): Promise<void> {
  const resource = followedResource(follower);
  const channel = resource && channelOf(resource);
  if (!channel) throw new Error('the connection follows no channel');
  const state = await currentState(channel, new Date().toISOString());
  if (!state) return sendFinalMessage(follower, HANDSHAKE_RETRY_DELAYS_MS, end);
  for (const message of state)
    if (!(await postToSocket(follower, JSON.stringify({ ...message, snapshot: true }), HANDSHAKE_RETRY_DELAYS_MS)))
      return;
  await catchUp(follower, Object.fromEntries(state.map((message) => [subjectOf(message), message.sequence])));
}
