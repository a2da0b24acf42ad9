import { scopes as known, scopesInAll } from '../../contract/terms/scopes';
import { listOrganisations } from '../../data/access/organisations';
import { organisationId } from '../../domain/values/id';
import { apiKeyIds, type Partner } from '../../domain/access/partner';
import type { Flags } from './command-line';
import type { Report } from '../program/run-program';
import type { Session } from '../deployment/session';
import { table } from '../command-line/table';

const HEADINGS = ['id', 'name', 'status', 'keys', 'scopes'];

/** Columns that a terminal may be too narrow for: names and scopes. Ids are never cut. */
const WRAPPED = [1, 4];

/**
 * Lists all organisations with their clients, in the order of registration. As text, a table as wide as the terminal, or as
 * its cells when standard output is no terminal.
 */
export async function list(_: Flags, session: Session): Promise<Report> {
  await session.connect();
  session.progress('reading organisations and clients');
  const { organisations, partners } = await listOrganisations();
  const listed = organisations.map(({ organisation, ...known }) => ({
    organisationId: organisationId(organisation),
    ...known,
    clients: partners.filter((partner) => partner.organisation === organisation).map(describe),
  }));
  const { columns } = session;
  const rows = listed.flatMap(({ clients, ...organisation }) => [
    [organisation.organisationId, organisation.name, organisation.status ?? 'active', '', ''],
    ...clients.map(({ clientId, name, status, apiKeys, scopes }) => [
      `  ${clientId}`,
      name,
      status,
      String(apiKeys),
      columns === undefined ? scopes.join(' ') : shortened(scopes),
    ]),
  ]);
  const text = rows.length > 0 ? table([HEADINGS, ...rows], { width: columns, wrapped: WRAPPED }) : 'no partners yet';
  return { json: { organisations: listed }, text };
}

/** A client without ids of its API keys: their number tells whether a rotation is under way. */
function describe(partner: Partner) {
  const { clientId, name, status, scopes, createdAt } = partner;
  return { clientId, name, status, apiKeys: apiKeyIds(partner).length, scopes, createdAt };
}

const shortened = (scopes: readonly string[]) =>
  scopesInAll.every((scope) => scopes.includes(scope))
    ? ['all', ...known.filter((scope) => !scopesInAll.includes(scope) && scopes.includes(scope))].join(' ')
    : scopes.join(' ');
