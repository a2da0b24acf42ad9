import { listOrganisations } from '../../data/access/organisations';
import { setOrganisationStatus, type OrganisationStatus } from '../../data/access/organisation-status';
import { organisationId, type Organisation } from '../../domain/values/id';
import type { Partner } from '../../domain/access/partner';
import { Failure } from '../command-line/failure';

/** Two concurrent operators need two tries, at most three; more is a defect. */
const MAX_TRIES = 5;

export interface SyncedOrganisation {
  readonly status: OrganisationStatus;
  /** All its clients, suspended ones too. */
  readonly members: readonly Partner[];
}

/**
 * Sets an organisation's status from its clients': active while one of them is. Called after each change of a client.
 * Reads again after each write until both agree, so that the last of concurrent commands leaves the right status.
 * @throws Failure when they still differ after the last try
 */
export async function syncOrganisationStatus(organisation: Organisation): Promise<SyncedOrganisation> {
  for (let tries = 1; tries <= MAX_TRIES; tries += 1) {
    const { organisations, partners } = await listOrganisations();
    const members = partners.filter((partner) => partner.organisation === organisation);
    const status = members.some((member) => member.status === 'active') ? 'active' : 'suspended';
    const known = organisations.find((registered) => registered.organisation === organisation);
    if (!known || (known.status ?? 'active') === status) return { status, members };
    await setOrganisationStatus(organisation, status);
  }
  throw new Failure(`${organisationId(organisation)} is being changed by another command: try again`);
}
