import type { ResumedMessage } from '../../../contract/socket-messages';
import type { Connection } from '../../../data/connections/connections';
import { closeSocket, postToSocket } from '../../../data/connections/sockets';
import type { LoggedEvent } from '../../../data/events/log-items';
import { cursorOf } from '../../../domain/cursor';
import type { Organisation } from '../../../domain/id';
import { subjectOf } from '../../../domain/sequence';
import { endsChannel } from '../../../domain/status-event';
import { catchUp } from './catch-up';
import { HANDSHAKE_RETRY_DELAYS_MS } from './handshake-delays';

const post = (follower: Connection, message: object) =>
  postToSocket(follower, JSON.stringify(message), HANDSHAKE_RETRY_DELAYS_MS);

/**
 * Sends a follower what it missed, then that it has caught up, then every change.
 * @param after number of the last event that it knows
 * @param missed the events of its channel since then, in order, and earlier ones that it may not have been sent
 */
export async function replay(
  follower: Connection,
  organisation: Organisation,
  after: number,
  missed: readonly LoggedEvent[],
): Promise<void> {
  const sent: Record<string, number> = {};
  for (const { number, message } of missed) {
    if (!(await post(follower, { ...message, cursor: cursorOf(organisation, number), replayed: true }))) return;
    if (endsChannel(message)) return closeSocket(follower, HANDSHAKE_RETRY_DELAYS_MS);
    sent[subjectOf(message)] = message.sequence;
  }
  const cursor = cursorOf(organisation, Math.max(after, missed.at(-1)?.number ?? 0));
  if (await post(follower, { type: 'resumed', cursor } satisfies ResumedMessage)) await catchUp(follower, sent);
}
