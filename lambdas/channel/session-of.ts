import { findSession, type Session } from '../../data/connections/sessions';

/** Sessions don't change, so a warm function need not read one for each message. */
const cache = new Map<string, Session>();
const MAX_CACHED = 1000;

/** The session of a telemetry socket; undefined for another socket and for a session that has expired. */
export async function sessionOf(connectionId: string): Promise<Session | undefined> {
  const session = cache.get(connectionId) ?? (await findSession(connectionId));
  if (!session || session.expiresAt * 1000 <= Date.now()) return undefined;
  if (cache.size >= MAX_CACHED) cache.clear();
  cache.set(connectionId, session);
  return session;
}
