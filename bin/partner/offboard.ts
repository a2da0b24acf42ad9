import { deletePartner, setPartnerStatus } from '../../data/access/partners';
import { endAllShares } from '../../data/shares/shares';
import { apiKeyIds, type Partner } from '../../domain/access/partner';
import { UsageError, Failure } from '../command-line/errors';
import { deleteApiKey, deleteOAuthClient } from './credentials';
import type { Flags } from './command-line';
import type { Deployment } from '../deployment/deployment';
import { syncOrganisationStatus, tellPlatform } from './organisation';
import { printable } from '../command-line/terminal';
import type { Report } from '../program/run-program';
import type { Session } from '../deployment/session';
import { readSelection, selectClients, type Selection } from './selected-clients';
import { allSettled } from './rollback';
import { listOrganisations } from '../../data/access/organisations';
import { organisationId } from '../../domain/values/id';
import { table } from '../command-line/table';

/**
 * Shows a person what would be deleted, and asks for the name of it, or y.
 * @param leaving clients of one organisation
 * @throws Failure for any other answer
 */
async function confirmOffboarding(
  leaving: readonly Partner[],
  selection: Selection,
  ask: (question: string) => Promise<string>,
): Promise<void> {
  const [first] = leaving;
  if (!first) return;
  const { organisations, partners } = await listOrganisations();
  const { organisation } = first;
  const registered = organisations.find((each) => each.organisation === organisation)?.name ?? '';
  const staying = partners.filter((each) => each.organisation === organisation).length - leaving.length;
  const name = 'clientId' in selection ? first.name : registered;
  const answer = await ask(
    [
      `This deletes for good, of ${printable(registered)} (${organisationId(organisation)}):`,
      table(leaving.map((client) => [`  ${client.clientId}`, client.name])),
      ...(staying > 0 ? [] : ['  all shares, since no client is left']),
      `Type ${printable(name)} or y to go on: `,
    ].join('\n'),
  );
  if (![name, 'y', 'yes'].includes(answer.trim())) throw new Failure('nothing was deleted');
}

/** What is left of an organisation after its last client is gone, by store, and until when. */
const leftBehind = [
  {
    store: 'jobs, device groups and devices',
    until: 'they are deleted: by a new client of the organisation, or the platform',
  },
  {
    store: 'missions, with their files',
    until: 'they are deleted; then 90 days, longer for jobs of later, and the files five days more',
  },
  { store: 'commands to devices', until: '90 days after they were sent' },
  { store: 'tracks of jobs', until: '90 days after their flight (flightRetentionDays)' },
  { store: 'track of any flight', until: '24 hours after it' },
  { store: 'event log', until: '7 days (eventRetentionDays), timelines of jobs 90' },
  { store: 'connections, requests, counters of limits', until: 'within a day' },
  { store: 'retained MQTT messages of device groups', until: 'the group is deleted; of jobs and shares: 90 minutes' },
  { store: 'events on the bus, and in dead-letter queues', until: '14 days' },
  { store: 'log lines, with identifiers', until: '3 months' },
  { store: 'backups by point in time', until: '35 days' },
] as const;

/** The same as lines for people. */
function leftBehindText(): string {
  const width = Math.max(...leftBehind.map(({ store }) => store.length));
  return leftBehind.map(({ store, until }) => `  ${store.padEnd(width)}  ${until}`).join('\n');
}

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
    if (members.every(({ clientId }) => leave.has(clientId))) ended += await endAllShares(organisation);
  }
  return ended;
}

async function remove(deployment: Deployment, client: Partner): Promise<void> {
  await allSettled([deleteOAuthClient(deployment, client.clientId), ...apiKeyIds(client).map(deleteApiKey)]);
  await deletePartner(client.clientId);
}
