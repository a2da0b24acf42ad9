import { deleteOrganisation, findOrganisation, registerOrganisation } from '../../data/partners/organisations';
import { deletePartner, insertPartner } from '../../data/partners/partners';
import { organisationId } from '../../domain/id';
import { createApiKey } from './api-key';
import { Failure, type Flags } from './command-line';
import type { Deployment } from './deployment';
import { readFleet, registerFleet } from './fleet';
import { createOAuthClient, deleteOAuthClient } from './oauth-client';
import { describeOnboarded, type OnboardedClient } from './onboarded-text';
import { readOnboardingPlan, type PlannedClient, type PlannedOrganisation } from './onboarding-plan';
import { syncOrganisationStatus } from './organisation-status';
import { reasonOf } from './reason';
import type { Report } from './report';
import { Rollback, allSettled } from './rollback';

/**
 * Onboards all clients of the plan or none: after a failure everything created is rolled back.
 * @param connect finds the deployment; called once the plan is valid
 * @throws UsageError for an invalid plan, Failure for an error of AWS
 */
export async function onboard(flags: Flags, connect: () => Promise<Deployment>): Promise<Report> {
  const plan = await readOnboardingPlan(flags);
  const deployment = await connect();
  const rollback = new Rollback();
  try {
    const partners: OnboardedClient[] = [];
    // One organisation after another, because of AWS's rate limits (API Gateway quotas: 5 CreateApiKey a second).
    for (const organisation of plan) partners.push(...(await onboardOrganisation(organisation, deployment, rollback)));
    const { addresses, resourceServer } = deployment;
    const json = { ...addresses, resourceServer, partners };
    return { json, text: describeOnboarded(deployment, json.partners) };
  } catch (error) {
    throw await rollback.run(reasonOf(error));
  }
}

async function onboardOrganisation(
  planned: PlannedOrganisation,
  deployment: Deployment,
  rollback: Rollback,
): Promise<OnboardedClient[]> {
  const now = new Date().toISOString();
  const { organisation, name } = await findOrRegister(planned, now, rollback);
  const [known, added, clients] = await allSettled([
    'tag' in planned ? readFleet(organisation) : [],
    registerFleet(organisation, planned.deviceGroups, rollback),
    allSettled(planned.clients.map((client) => onboardClient(organisation, client, now, deployment, rollback))),
  ]);
  // An organisation whose clients were all suspended has an active one again.
  if ('tag' in planned) await syncOrganisationStatus(organisation);
  const deviceGroups = [...known, ...added];
  return clients.map((client) => ({
    organisationId: organisationId(organisation),
    organisation: name,
    ...client,
    deviceGroups,
  }));
}

/** The registered organisation, or a new one. */
async function findOrRegister(planned: PlannedOrganisation, now: string, rollback: Rollback) {
  if ('tag' in planned) {
    const found = await findOrganisation(planned.tag);
    if (!found) throw new Failure(`there is no organisation ${organisationId(planned.tag)}`);
    return found;
  }
  const registered = await registerOrganisation(planned.name, now);
  const { organisation } = registered;
  rollback.add(organisationId(organisation), () => deleteOrganisation(organisation));
  return registered;
}

async function onboardClient(
  organisation: string,
  { name, scopes }: PlannedClient,
  createdAt: string,
  deployment: Deployment,
  rollback: Rollback,
) {
  const fullName = `${organisationId(organisation)} ${name}`;
  const [{ clientId, clientSecret }, apiKey] = await allSettled([
    createOAuthClient(deployment, fullName, scopes).then((client) => {
      rollback.add(`OAuth client ${client.clientId}`, () => deleteOAuthClient(deployment, client.clientId));
      return client;
    }),
    createApiKey(deployment, fullName, rollback),
  ]);
  rollback.add(`partner ${clientId}`, () => deletePartner(clientId));
  await insertPartner({ clientId, organisation, name, apiKeyId: apiKey.id, scopes, status: 'active', createdAt });
  return { name, clientId, clientSecret, apiKey: apiKey.value, scopes };
}
