import { listOrganisations } from '../../data/partners/organisations';
import { organisationId } from '../../domain/id';
import { apiKeyIds, type Partner } from '../../domain/partner';
import type { Flags } from './command-line';
import type { Deployment } from './deployment';
import { columns, type Report } from './report';

/** Lists all organisations with their clients, in the order of registration. */
export async function list(_: Flags, connect: () => Promise<Deployment>): Promise<Report> {
  await connect();
  const { organisations, partners } = await listOrganisations();
  const listed = organisations.map(({ organisation, ...known }) => ({
    organisationId: organisationId(organisation),
    ...known,
    clients: partners.filter((partner) => partner.organisation === organisation).map(describe),
  }));
  const rows = listed.flatMap(({ clients, ...organisation }) => [
    [organisation.organisationId, organisation.name, '', ''],
    ...clients.map(({ clientId, name, status, scopes }) => [`  ${clientId}`, name, status, scopes.join(' ')]),
  ]);
  return { json: { organisations: listed }, text: rows.length > 0 ? columns(rows) : 'no partners yet' };
}

/** A client without ids of its API keys: their number tells whether a rotation is under way. */
function describe(partner: Partner) {
  const { clientId, name, status, scopes, createdAt } = partner;
  return { clientId, name, status, apiKeys: apiKeyIds(partner).length, scopes, createdAt };
}
