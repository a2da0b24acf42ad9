import { channelOf, type Connection } from '../../../data/connections/connections';
import { postToSocket } from '../../../data/connections/sockets';
import { subjectOf } from '../../../domain/sequence';
import { currentState } from '../current-state';
import { catchUp, tellLastWord } from './catch-up';
import { OPENING_MS } from './opening';

/**
 * Who follows a status channel is told the state, and then every change.
 * @param end the last word on it, should it be gone
 */
export async function greetChannel(follower: Connection, end?: string): Promise<void> {
  const channel = channelOf(follower);
  if (!channel) throw new Error('a connection that follows no channel');
  const state = await currentState(channel, new Date().toISOString());
  if (!state) return tellLastWord(follower, OPENING_MS, end);
  for (const message of state)
    if (!(await postToSocket(follower, JSON.stringify({ ...message, snapshot: true }), OPENING_MS))) return;
  await catchUp(follower, Object.fromEntries(state.map((message) => [subjectOf(message), message.sequence])));
}
