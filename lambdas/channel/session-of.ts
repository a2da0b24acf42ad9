import { findSession, type Session } from '../../data/connections/sessions';

/** Sessions don't change, so a function that stays warm need not read one for each message. */
const known = new Map<string, Session>();
const MOST = 1000;

/** Who a socket is, or undefined when it is no telemetry socket or its time is up. */
export async function sessionOf(connectionId: string): Promise<Session | undefined> {
  const session = known.get(connectionId) ?? (await findSession(connectionId));
  if (!session || session.expiresAt * 1000 <= Date.now()) return undefined;
  if (known.size >= MOST) known.clear();
  known.set(connectionId, session);
  return session;
}
