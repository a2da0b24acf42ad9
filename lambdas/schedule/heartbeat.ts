import { allConnections, type Connection } from '../../data/connections';
import { isActive } from '../../data/organisation-status';
import { findPartner } from '../../data/partners';
import { isSession } from '../../data/sessions';
import { closeSocket, postToSocket } from '../../data/sockets';
import { organisationOf } from '../../domain/id';
import { eachAtOnce } from '../each-at-once';
import { logger } from '../logger';
import { readOnce } from '../read-once';

/** In ms. */
const YOUNG = 60_000;
const heartbeat = JSON.stringify({ type: 'heartbeat' });

/** Whether who is at the other end of a socket may still listen; each client and each organisation is asked for once a run. */
function listeners() {
  const mayListen = readOnce(
    async (clientId: string) => (await findPartner(clientId))?.status === 'active',
    (clientId) => clientId,
  );
  const mayShare = readOnce(isActive, (organisation) => organisation);
  return ({ clientId, shareCode }: Connection): boolean | Promise<boolean> => {
    if (clientId !== undefined) return mayListen(clientId);
    // A viewer may as long as who has shared.
    const organisation = shareCode && organisationOf('share', shareCode);
    return organisation ? mayShare(organisation) : true;
  };
}

/**
 * Every four minutes: keeps quiet sockets open past API Gateway's idle limit of ten, and finds those that left without a
 * word, whose token has ended, or whose partner has been suspended; of viewers the organisation that has shared. With the
 * minute in which a socket is too young, they are out within five.
 */
export async function handler(): Promise<void> {
  const mayListen = listeners();
  const beat = async (connection: Connection) => {
    // A telemetry socket has more than one item; its session stands for it.
    if (connection.session && !isSession(connection)) return;
    const { expiresAt, openedAt = 0 } = connection;
    // One that is new may still be in its handshake, and is not quiet yet.
    if (openedAt * 1000 > Date.now() - YOUNG) return;
    const stands = expiresAt * 1000 > Date.now() && (await mayListen(connection));
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
