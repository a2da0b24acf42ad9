import { deletePartner, setPartnerStatus } from '../../data/partners';
import type { Partner } from '../../domain/partner';
import { deleteApiKey } from './api-key';
import type { Flags } from './command-line';
import type { Deployment } from './deployment';
import { deleteOAuthClient } from './oauth-client';
import type { Report } from './report';
import { readSelection, selectClients } from './selected-clients';
import { everyOne } from './undo';

/** Deletes clients for good. The organisation stays, with its fleet and jobs, and can be given clients again. */
export async function offboard(flags: Flags, connect: () => Promise<Deployment>): Promise<Report> {
  const selection = readSelection(flags);
  const deployment = await connect();
  const clients = await selectClients(selection);
  await everyOne(clients.map((client) => remove(deployment, client)));
  return {
    json: { clients: clients.map(({ clientId }) => ({ clientId, status: 'offboarded' })) },
    text: [
      ...clients.map(
        ({ clientId, name }) => `${clientId} (${name}) is out, for tokens that are out within five minutes`,
      ),
      'The organisation stays, with its device groups and jobs.',
    ].join('\n'),
  };
}

/** The record goes last, so that a removal that failed half way can be repeated; until then it lets nobody in. */
async function remove(deployment: Deployment, { clientId, apiKeyId }: Partner): Promise<void> {
  await setPartnerStatus(clientId, 'suspended');
  await everyOne([deleteOAuthClient(deployment, clientId), deleteApiKey(apiKeyId)]);
  await deletePartner(clientId);
}
