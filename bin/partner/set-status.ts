import { setPartnerStatus } from '../../data/partners';
import type { Partner } from '../../domain/partner';
import { Failure, type Flags } from './command-line';
import type { Deployment } from './deployment';
import type { Report } from './report';
import { readSelection, selectClients } from './selected-clients';
import { everyOne } from './undo';

/** Suspends clients or lets them in again; tokens that are out are refused within five minutes. */
export async function setStatus(
  flags: Flags,
  connect: () => Promise<Deployment>,
  status: Partner['status'],
): Promise<Report> {
  const selection = readSelection(flags);
  await connect();
  const clients = await everyOne((await selectClients(selection)).map(({ clientId }) => change(clientId, status)));
  const when = status === 'suspended' ? ', for tokens that are out within five minutes' : '';
  return {
    json: { clients: clients.map(({ clientId }) => ({ clientId, status })) },
    text: clients.map(({ clientId, name }) => `${clientId} (${name}) is ${status}${when}`).join('\n'),
  };
}

async function change(clientId: string, status: Partner['status']): Promise<Partner> {
  const changed = await setPartnerStatus(clientId, status);
  if (!changed) throw new Failure(`there is no client ${clientId}`);
  return changed;
}
