import type { ExpiringMessage, HeartbeatMessage } from '../../contract/channels/socket-messages';
import { scanConnections } from '../../data/channels/connections-scan';
import type { Connection } from '../../data/channels/connections';
import type { Follower } from '../../data/channels/followers';
import { isActive } from '../../data/access/organisation-status';
import { findPartner } from '../../data/access/partners';
import { noteWarning } from '../../data/channels/renewal';
import { readShare } from '../../data/shares/shares';
import { isSession } from '../../data/channels/sessions';
import { closeSocket, postToSocket } from '../../data/channels/sockets';
import { LONGEST_CONNECTION_S } from '../../domain/channels/longest-connection';
import { organisationOf } from '../../domain/values/id';
import { isInForce } from '../../domain/access/partner';
import { memoise, withConcurrency } from '../runtime/concurrency';
import { logger } from '../runtime/logger';
import { orphanedSeats } from './orphaned-seats';

/** A younger connection may still be in its handshake, or waiting for its snapshot; in ms. */
const GRACE_PERIOD_MS = 60_000;
/** Longest time between two runs, in ms: connections that were too young at the last run always get a heartbeat. */
const SINCE_LAST_RUN_MS = 70_000;
/**
 * API Gateway closes connections that are idle for ten minutes. All get a heartbeat every fourth minute, so that one missed
 * run leaves them idle for eight.
 */
const HEARTBEAT_EVERY_MINUTES = 4;

/** The client of a partner's socket is warned at least this long before its end, in ms. */
const WARNING_MS = 60_000;
/**
 * Longest time between two runs that EventBridge Scheduler promises, in ms: it runs at any second of the minute (user guide,
 * "Schedule types").
 */
const UNTIL_NEXT_RUN_MS = 120_000;

const heartbeat = JSON.stringify({ type: 'heartbeat' } satisfies HeartbeatMessage);

/**
 * Checks whether a connection's partner is still active, and a viewer's share in force; reads each client, organisation
 * and share once per run.
 * @param now Unix ms
 */
function activePartners(now: number) {
  const partnerOf = memoise(findPartner, (clientId) => clientId);
  const isActiveOrganisation = memoise(isActive, (organisation) => organisation);
  const isShared = memoise(
    async (shareCode: string) => (await readShare(shareCode, new Date(now).toISOString())) !== undefined,
    (shareCode) => shareCode,
  );
  return async ({ clientId, shareCode, openedAt }: Connection): Promise<boolean> => {
    if (clientId !== undefined) {
      const partner = await partnerOf(clientId);
      return partner?.status === 'active' && isInForce(partner, openedAt);
    }
    // A viewer depends on the organisation of its share.
    const organisation = shareCode && organisationOf('share', shareCode);
    if (!shareCode || !organisation) return true;
    return (await isActiveOrganisation(organisation)) && isShared(shareCode);
  };
}

/** The warning for a partner's socket that ends before the next run could warn it in time; undefined for all others. */
function warningFor({ clientId, openedAt, expiresAt, warnedOf }: Follower, now: number): string | undefined {
  const left = expiresAt * 1000 - now;
  const isDue = left >= WARNING_MS && left < WARNING_MS + UNTIL_NEXT_RUN_MS;
  if (clientId === undefined || !isDue || warnedOf === expiresAt) return undefined;
  return JSON.stringify({
    type: 'expiring',
    expiresAt: new Date(expiresAt * 1000).toISOString(),
    reason: expiresAt < openedAt + LONGEST_CONNECTION_S ? 'token' : 'connection',
  } satisfies ExpiringMessage);
}

/**
 * Makes the check of one connection.
 * @param now Unix ms
 * @param everyone whether all connections get a heartbeat, not only new ones
 */
function connectionCheck(now: number, everyone: boolean) {
  const isPartnerActive = activePartners(now);
  return async (connection: Follower): Promise<void> => {
    const { expiresAt, openedAt, bufferingSince } = connection;
    // The function that was to send the snapshot has failed: the client receives nothing and can't notice it.
    if (bufferingSince !== undefined)
      return now - bufferingSince * 1000 > GRACE_PERIOD_MS ? closeSocket(connection) : undefined;
    // A telemetry socket has several items; only its session is checked.
    if (connection.session && !isSession(connection)) return;
    const age = now - openedAt * 1000;
    if (age <= GRACE_PERIOD_MS) return;
    const overForMs = now - expiresAt * 1000;
    const isOver = overForMs >= 0;
    // The final message of its share closes a viewer, who receives nothing else by then.
    if (isOver && connection.shareCode !== undefined && overForMs <= GRACE_PERIOD_MS) return;
    if (isOver || !(await isPartnerActive(connection))) return closeSocket(connection);
    const warning = warningFor(connection, now);
    // Unless it has been renewed meanwhile.
    if (warning !== undefined && (await noteWarning(connection))) await postToSocket(connection, warning);
    else if (everyone || age <= GRACE_PERIOD_MS + SINCE_LAST_RUN_MS) await postToSocket(connection, heartbeat);
  };
}

/**
 * Every minute: keeps idle sockets open past API Gateway's limit of ten minutes; warns those that end soon; removes
 * those that disconnected without notice, whose token has expired, or whose partner has been suspended; releases
 * orphaned seats.
 */
export async function handler(): Promise<void> {
  const now = Date.now();
  const checkConnection = connectionCheck(now, Math.floor(now / 60_000) % HEARTBEAT_EVERY_MINUTES === 0);
  const orphans = orphanedSeats(now);
  // A connection that fails is checked again by the next heartbeat, before the idle limit.
  const checkOrLog = (connection: Follower) =>
    checkConnection(connection).catch((error: unknown) => {
      const { connectionId } = connection;
      logger.warn('heartbeat of a socket failed', { connectionId, error });
    });
  for await (const { connections, counts } of scanConnections()) {
    orphans.addPage(connections, counts);
    await withConcurrency(connections, checkOrLog);
  }
  await orphans.release();
}
