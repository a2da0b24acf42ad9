import type { Organisation } from './id';

/** A client that creates something for its organisation. */
export interface Creator {
  readonly organisation: Organisation;
  readonly clientId: string;
}

/** Whether a client has created something: yes, no, or nobody knows. */
export type Origin = 'own' | 'another' | 'unknown';

/**
 * Whether a client created something of its organisation. What was stored before creators were noted is an only client's.
 * @param createdBy the client that is noted
 * @param isOnlyClient whether its organisation has no other client
 */
export function findOrigin(createdBy: string | undefined, clientId: string, isOnlyClient: boolean): Origin {
  if (createdBy === undefined) return isOnlyClient ? 'own' : 'unknown';
  return createdBy === clientId ? 'own' : 'another';
}
