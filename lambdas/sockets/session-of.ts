import { findSession, type Session } from '../../data/connections/sessions';

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
