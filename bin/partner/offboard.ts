import { deletePartner, setPartnerStatus } from '../../data/partners/partners';
import { endSharesOf } from '../../data/shares/shares';
import type { Partner } from '../../domain/partner';
import { deleteApiKey } from './api-key';
import type { Flags } from './command-line';
import type { Deployment } from './deployment';
import { deleteOAuthClient } from './oauth-client';
import { settleOrganisation } from './organisation-status';
import { printable } from './printable';
import type { Report } from './report';
import { readSelection, selectClients } from './selected-clients';
import { everyOne } from './undo';

/**
 * Deletes clients for good. The organisation stays, with its fleet and jobs, and can be given clients again; its shares
 * end with its last client.
 */
export async function offboard(flags: Flags, connect: () => Promise<Deployment>): Promise<Report> {
  const selection = readSelection(flags);
  const deployment = await connect();
  const clients = await selectClients(selection);
  // First of all they are out; the records go last, so that what failed half way can be repeated.
  await everyOne(clients.map(({ clientId }) => setPartnerStatus(clientId, 'suspended')));
  const ended = await endSharesWithoutClients(clients);
  await everyOne(clients.map((client) => remove(deployment, client)));
  return {
    json: { clients: clients.map(({ clientId }) => ({ clientId, status: 'offboarded' })), endedShares: ended },
    text: [
      ...clients.map(
        ({ clientId, name }) => `${clientId} (${printable(name)}) is out, for tokens that are out within five minutes`,
      ),
      `The organisation stays, with its device groups and jobs; ${ended} of its shares have ended.`,
    ].join('\n'),
  };
}

/** Ends the shares of each organisation that the leaving clients leave without any. @returns how many */
async function endSharesWithoutClients(leaving: readonly Partner[]): Promise<number> {
  const leave = new Set(leaving.map(({ clientId }) => clientId));
  let ended = 0;
  for (const organisation of new Set(leaving.map((client) => client.organisation))) {
    const { members } = await settleOrganisation(organisation);
    if (members.every(({ clientId }) => leave.has(clientId))) ended += await endSharesOf(organisation);
  }
  return ended;
}

async function remove(deployment: Deployment, { clientId, apiKeyId }: Partner): Promise<void> {
  await everyOne([deleteOAuthClient(deployment, clientId), deleteApiKey(apiKeyId)]);
  await deletePartner(clientId);
}
