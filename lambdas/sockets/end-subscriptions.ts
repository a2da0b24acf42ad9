import { webSocketActions } from '../../contract/websocket-actions';
import { sessionItem, unfollowAll, type PartnerSession } from '../../data/connections/sessions';
import { closeSocket } from '../../data/connections/sockets';

const { needs } = webSocketActions.subscribe;

/**
 * Ends the subscriptions of a telemetry socket whose new token does not allow them.
 * @param before the session with the earlier token
 * @param scopes of the new token, which the session has by now
 * @returns whether it ended them
 * @throws Error when they could not be ended; the socket is closed then
 */
export async function endSubscriptions(before: PartnerSession, scopes: readonly string[]): Promise<boolean> {
  if (!before.scopes.includes(needs) || scopes.includes(needs)) return false;
  try {
    await unfollowAll(before.connectionId);
    return true;
  } catch (error) {
    await closeSocket(sessionItem(before));
    throw error;
  }
}
