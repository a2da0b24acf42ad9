/** The session, or the socket of a partner, that a message came over. */
import { setTimeout as pause } from 'node:timers/promises';
import { channelOf, channels } from '../../contract/channels/status-channels';
import type { Scope } from '../../contract/terms/scopes';
import { notForViewers } from '../../contract/terms/forbidden';
import { findConnection, followedResource, type Connection } from '../../data/channels/connections';
import { findSession, sessionItem, type PartnerSession, type Session } from '../../data/channels/sessions';
import { telemetryScopes } from '../../contract/telemetry/telemetry.actions';

/**
 * The session of a telemetry socket.
 * @param allows whether the cached session will do; otherwise it is read
 * @returns undefined for another socket and for a session that has expired
 */
export async function sessionOf(
  connectionId: string,
  allows: (cached: Session) => boolean = () => true,
): Promise<Session | undefined> {
  const now = Date.now();
  const cached = cachedSession(connectionId, now);
  if (cached && allows(cached)) return isCurrent(cached, now) ? cached : undefined;
  const session = await findSession(connectionId);
  if (!session || !isCurrent(session, now)) return undefined;
  if (cache.size >= MAX_CACHED) cache.clear();
  cache.set(connectionId, { session, readAt: now });
  return session;
}

/**
 * A warm function need not read a session for each message. A partner's changes when it authenticates again, in an instance of
 * another function: narrower scopes are in force everywhere after this time, in ms.
 */
const MAX_AGE_MS = 10_000;
const cache = new Map<string, { readonly session: Session; readonly readAt: number }>();
const MAX_CACHED = 1000;

const isCurrent = ({ expiresAt }: Session, now: number) => expiresAt * 1000 > now;

/** The session as this instance knows it, unless a renewal may have changed it. */
function cachedSession(connectionId: string, now: number): Session | undefined {
  const cached = cache.get(connectionId);
  if (!cached || cached.session.kind === 'viewer') return cached?.session;
  return now - cached.readAt < MAX_AGE_MS && isCurrent(cached.session, now) ? cached.session : undefined;
}

/** An open socket of a partner, for a status channel or for telemetry. */
export interface PartnerSocket {
  /** The item that says how long it lasts. */
  readonly item: Connection;
  /** A token needs one of these scopes. */
  readonly needs: readonly Scope[];
  /** Telemetry sockets only. */
  readonly session?: PartnerSession;
}

/**
 * The socket of a partner as it is now, without a cache.
 * @returns undefined for one that is closed
 * @throws Refusal `forbidden` for a viewer's
 */
export async function findPartnerSocket(connectionId: string): Promise<PartnerSocket | undefined> {
  const session = await findSession(connectionId);
  if (session?.kind === 'viewer') throw notForViewers();
  if (session) return { item: sessionItem(session), needs: telemetryScopes, session };
  const item = await findFollower(connectionId);
  const resource = item && !item.session ? followedResource(item) : undefined;
  const channel = resource && channelOf(resource);
  return item && channel && { item, needs: [channels[channel.kind].scope] };
}

/**
 * Waits between attempts, in ms: the index by socket, in which a follower of a status channel is found, may lack one that
 * was stored a moment ago. A closed socket sends no message, so its absence means little else.
 */
const INDEX_RETRY_DELAYS_MS = [50, 100, 200, 400, 800];

async function findFollower(connectionId: string): Promise<Connection | undefined> {
  for (const wait of INDEX_RETRY_DELAYS_MS) {
    const [found] = await findConnection(connectionId);
    if (found) return found;
    await pause(wait);
  }
  return (await findConnection(connectionId))[0];
}
