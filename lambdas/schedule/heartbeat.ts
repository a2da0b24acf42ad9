import { allConnections, type Connection } from '../../data/connections';
import { findPartner } from '../../data/partners';
import { closeSocket, postToSocket } from '../../data/sockets';
import { eachAtOnce } from '../each-at-once';

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
    const stands = connection.expiresAt * 1000 > Date.now() && (await isActive(connection.clientId));
    await (stands ? postToSocket(connection, heartbeat) : closeSocket(connection));
  };
  for await (const page of allConnections()) await eachAtOnce(page, beat);
}
