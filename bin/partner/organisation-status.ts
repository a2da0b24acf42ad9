import { listOrganisations } from '../../data/partners/organisations';
import { setOrganisationStatus, type OrganisationStatus } from '../../data/partners/organisation-status';
import { organisationId, type Organisation } from '../../domain/id';
import type { Partner } from '../../domain/partner';
import { Failure } from './command-line';

/** Two operators at once need a second look, and a third at the most; more is a defect. */
const TRIES = 5;

export interface Settled {
  readonly status: OrganisationStatus;
  /** Its clients, suspended ones too. */
  readonly members: readonly Partner[];
}

/**
 * Makes the status of an organisation what its clients make it: active while one of them is active. Called after each
 * change of a client. It is done when a look finds that both agree, so that of two commands at once the later look holds.
 * @throws Failure when they don't come to agree
 */
export async function settleOrganisation(organisation: Organisation): Promise<Settled> {
  for (let tries = 1; tries <= TRIES; tries += 1) {
    const { organisations, partners } = await listOrganisations();
    const members = partners.filter((partner) => partner.organisation === organisation);
    const status = members.some((member) => member.status === 'active') ? 'active' : 'suspended';
    const known = organisations.find((registered) => registered.organisation === organisation);
    if (!known || (known.status ?? 'active') === status) return { status, members };
    await setOrganisationStatus(organisation, status);
  }
  throw new Failure(`${organisationId(organisation)} is being changed by somebody else; try again`);
}
