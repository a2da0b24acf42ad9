import { setPartnerStatus } from '../../data/partners/partners';
import { organisationId } from '../../domain/id';
import type { Partner } from '../../domain/partner';
import { Failure, type Flags } from './command-line';
import type { Deployment } from './deployment';
import { settleOrganisation } from './organisation-status';
import { printable } from './printable';
import type { Report } from './report';
import { readSelection, selectClients } from './selected-clients';
import { everyOne } from './undo';

/**
 * Suspends clients or lets them in again; tokens that are out are refused within five minutes. An organisation without an
 * active client is suspended too: its share links let nobody in, and who watches by one is out within five minutes.
 */
export async function setStatus(
  flags: Flags,
  connect: () => Promise<Deployment>,
  status: Partner['status'],
): Promise<Report> {
  const selection = readSelection(flags);
  await connect();
  const clients = await everyOne((await selectClients(selection)).map(({ clientId }) => change(clientId, status)));
  const organisations = await everyOne([...new Set(clients.map(({ organisation }) => organisation))].map(settled));
  const when = status === 'suspended' ? ', for tokens that are out within five minutes' : '';
  return {
    json: { clients: clients.map(({ clientId }) => ({ clientId, status })), organisations },
    text: [
      ...clients.map(({ clientId, name }) => `${clientId} (${printable(name)}) is ${status}${when}`),
      ...organisations.map(
        ({ organisationId: id, status: stands }) =>
          `${id} is ${stands}: its share links ${stands === 'active' ? 'are open' : 'let nobody in'}`,
      ),
    ].join('\n'),
  };
}

async function settled(organisation: string) {
  const { status } = await settleOrganisation(organisation);
  return { organisationId: organisationId(organisation), status };
}

async function change(clientId: string, status: Partner['status']): Promise<Partner> {
  const changed = await setPartnerStatus(clientId, status);
  if (!changed) throw new Failure(`there is no client ${clientId}`);
  return changed;
}
