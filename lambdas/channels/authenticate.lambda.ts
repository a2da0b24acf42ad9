import * as actions from '../../contract/channels/sockets.actions';
import { lacksScope, tokenOfAnotherClient } from '../../contract/terms/forbidden';
import { socketError } from '../../contract/refusals';
import { subscribe } from '../../contract/telemetry/telemetry.actions';
import type { Connection } from '../../data/channels/connections';
import { renewConnection } from '../../data/channels/renewal';
import { sessionItem, unfollowAll, type PartnerSession } from '../../data/channels/sessions';
import { closeSocket, postToSocket } from '../../data/channels/sockets';
import { LONGEST_CONNECTION_S } from '../../domain/channels/longest-connection';
import type { Refusal } from '../../domain/values/refusal';
import { identify } from '../access/identify';
import { logger } from '../runtime/logger';
import { answer, socketHasEnded } from '../sockets/action';

/** The socket goes on with a new token: its client, its end and its scopes are those of the token from then on. */
export const handler = answer('authenticate', actions.authenticate, async ({ session: socket, message, now }) => {
  const { clientId, expiresAt: end, scopes } = await identify(message.token, 'token');
  const { item, session } = socket;
  if (clientId !== item.clientId) throw tokenOfAnotherClient();
  const seconds = Math.floor(now.getTime() / 1000);
  if (!socket.needs.some((scope) => scopes.includes(scope))) {
    const refusal = lacksScope('token', ...socket.needs);
    await closeRefused(item, refusal, message.id, seconds);
    throw refusal;
  }
  const expiresAt = Math.min(end, item.openedAt + LONGEST_CONNECTION_S);
  const isOpen = await renewConnection(item, { expiresAt, ...(session && { scopes }) }, seconds);
  if (!isOpen) throw socketHasEnded();
  const subscriptionsEnded = session !== undefined && (await endSubscriptions(session, scopes));
  return {
    type: 'authenticated',
    expiresAt: new Date(expiresAt * 1000).toISOString(),
    ...(subscriptionsEnded && { subscriptionsEnded }),
  };
});

/**
 * Tells a socket why it may not go on, and closes it. Its end is written first: when it can't be closed now, it gets no further
 * message, and the heartbeat closes it.
 * @param id of the message that is answered
 * @param now Unix seconds
 * @throws Error when the end can't be written: the socket goes on as before
 */
async function closeRefused(
  item: Connection,
  refusal: Refusal,
  id: string | number | undefined,
  now: number,
): Promise<void> {
  if (!(await renewConnection(item, { expiresAt: now }, now))) return;
  try {
    // The function's own reply would arrive after the close.
    const isOpen = await postToSocket(item, JSON.stringify({ ...socketError(refusal), id }));
    if (isOpen) await closeSocket(item);
  } catch (error) {
    logger.warn('refused socket could not be closed', { connectionId: item.connectionId, error });
  }
}

const { needs } = subscribe;

/**
 * Ends the subscriptions of a telemetry socket whose new token does not allow them.
 * @param before the session with the earlier token
 * @param scopes of the new token, which the session has by now
 * @returns whether it ended them
 * @throws Error when they could not be ended; the socket is closed then
 */
async function endSubscriptions(before: PartnerSession, scopes: readonly string[]): Promise<boolean> {
  if (!before.scopes.includes(needs) || scopes.includes(needs)) return false;
  try {
    await unfollowAll(before.connectionId);
    return true;
  } catch (error) {
    await closeSocket(sessionItem(before));
    throw error;
  }
}
