import { listOrganisations } from '../../data/partners/organisations';
import { findPartner } from '../../data/partners/partners';
import type { Organisation } from '../../domain/id';
import type { Partner } from '../../domain/partner';
import { UsageError } from '../command-line/usage-error';
import { Failure } from '../command-line/failure';
import type { Flags } from './command-line';
import { organisationTag } from './organisation-tag';

/** The clients that a command applies to. */
export type Selection = { readonly clientId: string } | { readonly organisation: Organisation };

/** Reads the selection from the flags. @throws UsageError unless it is either one client or one organisation */
export function readSelection({ 'client-id': clientId, 'organisation-id': organisationId }: Flags): Selection {
  if (clientId !== undefined && organisationId === undefined) return { clientId };
  if (clientId !== undefined || organisationId === undefined) {
    throw new UsageError('needs either --client-id or --organisation-id: `list` shows both');
  }
  const tag = organisationTag.safeParse(organisationId);
  if (!tag.success) throw new UsageError(`--organisation-id ${tag.error.issues[0]?.message ?? ''}`);
  return { organisation: tag.data };
}

/** Reads the client id from the flags. @throws UsageError without one */
export function readClientId({ 'client-id': clientId }: Flags): string {
  if (clientId === undefined) throw new UsageError('needs --client-id: `list` shows the ids');
  return clientId;
}

/** What is said of an unknown client id. It may be a secret that was put in the wrong place, so it is not repeated. */
export const noClient = 'there is no client of that id: `list` shows them';

/** @throws Failure for an unknown client */
export async function expectClient(clientId: string): Promise<Partner> {
  const found = await findPartner(clientId);
  if (!found) throw new Failure(noClient);
  return found;
}

/** The one client, or all of the organisation. @throws Failure when there is none */
export async function selectClients(selection: Selection): Promise<readonly Partner[]> {
  if ('clientId' in selection) return [await expectClient(selection.clientId)];
  const { partners } = await listOrganisations();
  const members = partners.filter(({ organisation }) => organisation === selection.organisation);
  if (members.length === 0) throw new Failure('that organisation has no clients: `list` shows those that have');
  return members;
}
