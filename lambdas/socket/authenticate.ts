import { lacksScope, tokenOfAnotherClient } from '../../contract/forbidden';
import { renewConnection } from '../../data/connections/renewal';
import { LONGEST_CONNECTION_S } from '../../domain/connection';
import { identify } from '../auth/identify';
import { answer, socketHasEnded } from '../sockets/action';
import { closeRefused } from '../sockets/close-refused';
import { endSubscriptions } from '../sockets/end-subscriptions';

/** The socket goes on with a new token: its client, its end and its scopes are those of the token from then on. */
export const handler = answer('authenticate', async ({ session: socket, message, now }) => {
  const { clientId, expiresAt: end, scopes } = await identify(message.token, 'token');
  const { item, session } = socket;
  if (clientId !== item.clientId) throw tokenOfAnotherClient();
  const seconds = Math.floor(now.getTime() / 1000);
  if (!socket.scopes.some((scope) => scopes.includes(scope))) {
    const refusal = lacksScope('token', ...socket.scopes);
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
