import { deletePartner, setPartnerStatus } from '../../data/access/partners';
import { endSharesOf } from '../../data/shares/shares';
import { apiKeyIds, type Partner } from '../../domain/access/partner';
import { UsageError } from '../command-line/usage-error';
import { deleteApiKey } from './api-key';
import type { Flags } from './command-line';
import { confirmOffboarding } from './confirm-offboarding';
import type { Deployment } from '../deployment/deployment';
import { leftBehind, leftBehindText } from './left-behind';
import { deleteOAuthClient } from './oauth-client';
import { syncOrganisationStatus } from './organisation-status';
import { printable } from '../command-line/printable';
import type { Report } from '../command-line/report';
import type { Session } from '../deployment/session';
import { readSelection, selectClients } from './selected-clients';
import { allSettled } from './rollback';
import { tellPlatform } from './tell-platform';

/**
 * Deletes clients permanently. The organisation stays, with its fleet and jobs, and can get new clients; its shares are
 * deleted with its last client. Asks a person first, unless `--yes` is given.
 * @throws UsageError when nobody can be asked, Failure when the person declines: nothing is deleted then
 */
export async function offboard(flags: Flags, session: Session): Promise<Report> {
  const selection = readSelection(flags);
  const { ask } = session;
  if (!flags.yes && !ask) {
    throw new UsageError('offboard asks before it deletes, and nobody can answer here (no terminal): add --yes');
  }
  const deployment = await session.connect();
  const clients = await selectClients(selection);
  if (!flags.yes && ask) await confirmOffboarding(clients, selection, ask);
  session.progress('suspending the clients');
  // Clients lose access first; their records go last, so that a command that failed half-way can be repeated.
  await allSettled(clients.map(({ clientId }) => setPartnerStatus(clientId, 'suspended')));
  session.progress('deleting shares');
  const ended = await endSharesOfLastClients(clients);
  for (const organisation of new Set(clients.map((client) => client.organisation)))
    await tellPlatform(organisation, session);
  session.progress('deleting OAuth clients and API keys');
  await allSettled(clients.map((client) => remove(deployment, client)));
  return {
    json: {
      clients: clients.map(({ clientId }) => ({ clientId, status: 'offboarded' })),
      endedShares: ended,
      left: leftBehind,
    },
    text: [
      ...clients.map(
        ({ clientId, name }) =>
          `${clientId} (${printable(name)}) is offboarded; issued tokens are refused within five minutes`,
      ),
      `The organisation stays, and ${ended} of its shares were deleted. What is left of it, and until when:`,
      leftBehindText(),
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
