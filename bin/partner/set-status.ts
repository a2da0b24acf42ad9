import { setPartnerStatus } from '../../data/access/partners';
import { organisationId } from '../../domain/values/id';
import type { Partner } from '../../domain/access/partner';
import { Failure } from '../command-line/errors';
import type { Flags } from './command-line';
import { syncOrganisationStatus, tellPlatform } from './organisation';
import { printable } from '../command-line/terminal';
import type { Report } from '../program/run-program';
import type { Session } from '../deployment/session';
import { noClient } from '../deployment/expect-client';
import { readSelection, selectClients } from './selected-clients';
import { allSettled } from './rollback';

/**
 * Suspends or resumes clients; issued tokens are refused within five minutes. An organisation without an active client is
 * suspended too: its share links are refused, and their viewers are disconnected within five minutes.
 */
export async function setStatus(flags: Flags, session: Session, status: Partner['status']): Promise<Report> {
  const selection = readSelection(flags);
  await session.connect();
  session.progress('changing the status of clients');
  const clients = await allSettled((await selectClients(selection)).map(({ clientId }) => change(clientId, status)));
  const changed = [...new Set(clients.map(({ organisation }) => organisation))];
  const organisations = await allSettled(changed.map(syncStatus));
  for (const organisation of changed) await tellPlatform(organisation, session);
  const when = status === 'suspended' ? '; issued tokens are refused within five minutes' : '';
  return {
    json: { clients: clients.map(({ clientId }) => ({ clientId, status })), organisations },
    text: [
      ...clients.map(({ clientId, name }) => `${clientId} (${printable(name)}) is ${status}${when}`),
      ...organisations.map(
        ({ organisationId: id, status: synced }) =>
          `${id} is ${synced}: its share links ${synced === 'active' ? 'are open' : 'are refused'}`,
      ),
    ].join('\n'),
  };
}

async function syncStatus(organisation: string) {
  const { status } = await syncOrganisationStatus(organisation);
  return { organisationId: organisationId(organisation), status };
}

async function change(clientId: string, status: Partner['status']): Promise<Partner> {
  const changed = await setPartnerStatus(clientId, status);
  if (!changed) throw new Failure(noClient);
  return changed;
}
