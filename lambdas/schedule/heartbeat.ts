import { allConnections, type Connection } from '../../data/connections';
import { isSession } from '../../data/sessions';
import { findPartner } from '../../data/partners';
import { closeSocket, postToSocket } from '../../data/sockets';
import { eachAtOnce } from '../each-at-once';
import { logger } from '../logger';

/** In ms. */
const YOUNG = 60_000;
const heartbeat = JSON.stringify({ type: 'heartbeat' });

/** Whether each client may still listen, asked once a run. */
function partners() {
  const asked = new Map<string, Promise<boolean>>();
  return (clientId: string): Promise<boolean> => {
    const known = asked.get(clientId) ?? findPartner(clientId).then((found) => found?.status === 'active');
    asked.set(clientId, known);
    return known;
  };
}

/**
 * Every five minutes: keeps quiet sockets open past API Gateway's idle limit of ten, and finds those that
 * left without a word, whose token has ended, or whose partner has been suspended.
 */
export async function handler(): Promise<void> {
  const isActive = partners();
  const beat = async (connection: Connection) => {
    // A telemetry socket has more than one item; its session stands for it.
    if (connection.session && !isSession(connection)) return;
    const { clientId, expiresAt, openedAt = 0 } = connection;
    // One that is new may still be in its handshake, and is not quiet yet.
    if (openedAt * 1000 > Date.now() - YOUNG) return;
    const stands = expiresAt * 1000 > Date.now() && (clientId === undefined || (await isActive(clientId)));
    await (stands ? postToSocket(connection, heartbeat) : closeSocket(connection));
  };
  // The next beat, which comes before the idle limit, finds again what this one could not see to.
  const beatOrLeave = (connection: Connection) =>
    beat(connection).catch((error: unknown) => {
      const { connectionId } = connection;
      logger.warn('a socket has missed a heartbeat', { connectionId, error });
    });
  for await (const page of allConnections()) await eachAtOnce(page, beatOrLeave);
}
