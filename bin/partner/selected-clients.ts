import { listOrganisations } from '../../data/access/organisations';
import { type Organisation, organisationId } from '../../domain/values/id';
import type { Partner } from '../../domain/access/partner';
import { UsageError, Failure } from '../command-line/errors';
import { expectClient } from '../deployment/expect-client';
import type { Flags } from './command-line';
import * as z from 'zod';

/** An organisation's public id, `org-7k2m9qx4`, parsed into its tag. */
export const organisationTag = z
  .string()
  .regex(new RegExp(`^${organisationId('[0-9a-z]{8}')}$`), 'must be org- and eight characters, as `list` shows them')
  .transform((id): Organisation => id.slice(organisationId('').length));

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

/** The one client, or all of the organisation. @throws Failure when there is none */
export async function selectClients(selection: Selection): Promise<readonly Partner[]> {
  if ('clientId' in selection) return [await expectClient(selection.clientId)];
  const { partners } = await listOrganisations();
  const members = partners.filter(({ organisation }) => organisation === selection.organisation);
  if (members.length === 0) throw new Failure('that organisation has no clients: `list` shows those that have');
  return members;
}
