import { deletePartner, setPartnerStatus } from '../../data/partners/partners';
import { endSharesOf } from '../../data/shares/shares';
import { apiKeyIds, type Partner } from '../../domain/partner';
import { deleteApiKey } from './api-key';
import type { Flags } from './command-line';
import type { Deployment } from './deployment';
import { deleteOAuthClient } from './oauth-client';
import { syncOrganisationStatus } from './organisation-status';
import { printable } from './printable';
import type { Report } from './report';
import { readSelection, selectClients } from './selected-clients';
import { allSettled } from './rollback';

/**
 * Deletes clients permanently. The organisation stays, with its fleet and jobs, and can get new clients; its shares are
 * deleted with its last client.
 */
export async function offboard(flags: Flags, connect: () => Promise<Deployment>): Promise<Report> {
  const selection = readSelection(flags);
  const deployment = await connect();
  const clients = await selectClients(selection);
  // Clients lose access first; their records go last, so that a command that failed half-way can be repeated.
  await allSettled(clients.map(({ clientId }) => setPartnerStatus(clientId, 'suspended')));
  const ended = await endSharesOfLastClients(clients);
  await allSettled(clients.map((client) => remove(deployment, client)));
  return {
    json: { clients: clients.map(({ clientId }) => ({ clientId, status: 'offboarded' })), endedShares: ended },
    text: [
      ...clients.map(
        ({ clientId, name }) =>
          `${clientId} (${printable(name)}) is offboarded; issued tokens are refused within five minutes`,
      ),
      `The organisation stays, with its device groups and jobs; ${ended} of its shares were deleted.`,
    ].join('\n'),
  };
}

/** Deletes the shares of each organisation that is left without clients. @returns how many */
async function endSharesOfLastClients(leaving: readonly Partner[]): Promise<number> {
  const leave = new Set(leaving.map(({ clientId }) => clientId));
  let ended = 0;
  for (const organisation of new Set(leaving.map((client) => client.organisation))) {
    const { members } = await syncOrganisationStatus(organisation);
    if (members.every(({ clientId }) => leave.has(clientId))) ended += await endSharesOf(organisation);
  }
  return ended;
}

async function remove(deployment: Deployment, client: Partner): Promise<void> {
  await allSettled([deleteOAuthClient(deployment, client.clientId), ...apiKeyIds(client).map(deleteApiKey)]);
  await deletePartner(client.clientId);
}
