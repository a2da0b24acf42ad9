import { allItems } from '../../data/connections/connections-scan';
import type { Connection } from '../../data/connections/connections';
import type { Follower } from '../../data/connections/followers';
import { isActive } from '../../data/partners/organisation-status';
import { findPartner } from '../../data/partners/partners';
import { isSession } from '../../data/connections/sessions';
import { closeSocket, postToSocket } from '../../data/connections/sockets';
import { organisationOf } from '../../domain/id';
import { withConcurrency } from '../delivery/with-concurrency';
import { logger } from '../logger';
import { placesOfTheGone } from '../channel/places-of-the-gone';
import { memoise } from '../delivery/memoise';

/** A connection that is younger may still be in its handshake, or being told the state; in ms. */
const YOUNG_MS = 60_000;
/** Those that were young at the last run are looked at in any case; in ms. */
const SINCE_LAST_RUN_MS = 70_000;
/**
 * API Gateway closes what was quiet for ten minutes. All are spoken to in every fourth minute, so that one that passes
 * without a run leaves them eight.
 */
const MINUTES = 4;

const heartbeat = JSON.stringify({ type: 'heartbeat' });

/** Whether who is at the other end of a socket may still listen; each client and each organisation is asked for once a run. */
function listeners() {
  const mayListen = memoise(
    async (clientId: string) => (await findPartner(clientId))?.status === 'active',
    (clientId) => clientId,
  );
  const mayShare = memoise(isActive, (organisation) => organisation);
  return ({ clientId, shareCode }: Connection): boolean | Promise<boolean> => {
    if (clientId !== undefined) return mayListen(clientId);
    // A viewer may as long as who has shared.
    const organisation = shareCode && organisationOf('share', shareCode);
    return organisation ? mayShare(organisation) : true;
  };
}

/** Sees to one connection. @param everyone whether it is to be spoken to although it is not new */
function beater(now: number, everyone: boolean) {
  const mayListen = listeners();
  return async (connection: Follower): Promise<void> => {
    const { expiresAt, openedAt, waits } = connection;
    // Whoever was to tell it the state has died: it hears nothing, and its client does not know.
    if (waits !== undefined) return now - waits * 1000 > YOUNG_MS ? closeSocket(connection) : undefined;
    // A telemetry socket has more than one item; its session stands for it.
    if (connection.session && !isSession(connection)) return;
    const age = now - openedAt * 1000;
    if (age <= YOUNG_MS) return;
    if (expiresAt * 1000 <= now || !(await mayListen(connection))) return closeSocket(connection);
    if (everyone || age <= YOUNG_MS + SINCE_LAST_RUN_MS) await postToSocket(connection, heartbeat);
  };
}

/**
 * Every minute: keeps quiet sockets open past API Gateway's idle limit of ten, finds those that left without a word, whose
 * token has ended, or whose partner has been suspended, and gives places back whose connections are gone.
 */
export async function handler(): Promise<void> {
  const now = Date.now();
  const beat = beater(now, Math.floor(now / 60_000) % MINUTES === 0);
  const places = placesOfTheGone(now);
  // The next beat, which comes before the idle limit, finds again what this one could not see to.
  const beatOrLeave = (connection: Follower) =>
    beat(connection).catch((error: unknown) => {
      const { connectionId } = connection;
      logger.warn('a socket has missed a heartbeat', { connectionId, error });
    });
  for await (const { connections, counts } of allItems()) {
    places.note(connections, counts);
    await withConcurrency(connections, beatOrLeave);
  }
  await places.giveBack();
}
