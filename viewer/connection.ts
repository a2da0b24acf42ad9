import type { Notice, Texts } from './texts/texts';

/** State of the connection to a share; a promise to programs that read the page (`data-testid` `connection`). */
export type Connection = 'live' | 'reconnecting' | 'ended' | 'full' | 'not-found';

/** Why a share has ended, if the server gave a reason. */
export type Ending = 'REVOKED' | 'EXPIRED' | undefined;

/** What a viewer has to know about the connection. */
export interface ConnectionState {
  readonly connection: Connection;
  readonly ending: Ending;
  /** Whether the page was connected before. */
  readonly wasLive: boolean;
  /** Places of the share, if the page was told. */
  readonly places: number | undefined;
}

/** The message about a state of the connection. */
export function noticeFor(texts: Texts, { connection, ending, wasLive, places }: ConnectionState): Notice {
  const { notices, allTaken } = texts;
  if (connection === 'full') return { ...notices.full, ...(places !== undefined && { title: allTaken(places) }) };
  if (connection === 'reconnecting' && !wasLive) return notices.connecting;
  if (connection === 'ended' && ending) return notices[ending === 'REVOKED' ? 'revoked' : 'expired'];
  return notices[connection === 'not-found' ? 'notFound' : connection];
}
