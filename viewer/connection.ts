/** State of the connection to a share; a promise to programs that read the page (`data-testid` `connection`). */
export type Connection = 'live' | 'reconnecting' | 'ended' | 'full' | 'not-found';

/** Why a share has ended, if the server gave a reason. */
export type Ending = 'REVOKED' | 'EXPIRED' | undefined;
