import { findPartner } from '../../data/access/partners';
import type { Partner } from '../../domain/access/partner';
import { Failure } from '../command-line/errors';

/** What is said of an unknown client id. It may be a secret that was put in the wrong place, so it is not repeated. */
export const noClient = 'there is no client of that id: `npm run partner -- list` shows them';

/** @throws Failure for an unknown client */
export async function expectClient(clientId: string): Promise<Partner> {
  const found = await findPartner(clientId);
  if (!found) throw new Failure(noClient);
  return found;
}
