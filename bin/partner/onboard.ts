import { deleteOrganisation, findOrganisation, registerOrganisation } from '../../data/partners/organisations';
import { deletePartner, insertPartner } from '../../data/partners/partners';
import { organisationId } from '../../domain/id';
import { createApiKey } from './api-key';
import { Failure, type Flags } from './command-line';
import type { Deployment } from './deployment';
import { readFleet, registerFleet, type OnboardedGroup } from './fleet';
import { createOAuthClient, deleteOAuthClient } from './oauth-client';
import { describeOnboarded } from './onboarded-text';
import { readOnboardingPlan, type PlannedClient, type PlannedOrganisation } from './onboarding-plan';
import { settleOrganisation } from './organisation-status';
import { reasonOf } from './reason';
import type { Report } from './report';
import { Undo, everyOne } from './undo';

/** All that a partner needs, as it is handed over, once. */
export interface OnboardedClient {
  readonly organisationId: string;
  readonly organisation: string;
  readonly name: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly apiKey: string;
  readonly scopes: readonly string[];
  readonly deviceGroups: readonly OnboardedGroup[];
}

/**
 * Takes partners in, all of the plan or none: on a failure half way nothing stays that could be used.
 * @param connect finds the deployment; called when the plan makes sense
 * @throws UsageError when the plan makes no sense, Failure when AWS refuses
 */
export async function onboard(flags: Flags, connect: () => Promise<Deployment>): Promise<Report> {
  const plan = await readOnboardingPlan(flags);
  const deployment = await connect();
  const made = new Undo();
  try {
    const partners: OnboardedClient[] = [];
    // One after another, for AWS takes but a few such calls a second (API Gateway quotas: 5 CreateApiKey).
    for (const organisation of plan) partners.push(...(await onboardOrganisation(organisation, deployment, made)));
    const { addresses, resourceServer } = deployment;
    const json = { ...addresses, resourceServer, partners };
    return { json, text: describeOnboarded(deployment, json.partners) };
  } catch (error) {
    throw await made.after(reasonOf(error));
  }
}

async function onboardOrganisation(
  planned: PlannedOrganisation,
  deployment: Deployment,
  made: Undo,
): Promise<OnboardedClient[]> {
  const now = new Date().toISOString();
  const { organisation, name } = await enter(planned, now, made);
  const [known, added, clients] = await everyOne([
    'tag' in planned ? readFleet(organisation) : [],
    registerFleet(organisation, planned.deviceGroups, made),
    everyOne(planned.clients.map((client) => onboardClient(organisation, client, now, deployment, made))),
  ]);
  // An organisation whose clients were all suspended has an active one again.
  if ('tag' in planned) await settleOrganisation(organisation);
  const deviceGroups = [...known, ...added];
  return clients.map((client) => ({
    organisationId: organisationId(organisation),
    organisation: name,
    ...client,
    deviceGroups,
  }));
}

/** The organisation that is in already, or a new one. */
async function enter(planned: PlannedOrganisation, now: string, made: Undo) {
  if ('tag' in planned) {
    const found = await findOrganisation(planned.tag);
    if (!found) throw new Failure(`there is no organisation ${organisationId(planned.tag)}`);
    return found;
  }
  const registered = await registerOrganisation(planned.name, now);
  const { organisation } = registered;
  made.remember(organisationId(organisation), () => deleteOrganisation(organisation));
  return registered;
}

async function onboardClient(
  organisation: string,
  { name, scopes }: PlannedClient,
  createdAt: string,
  deployment: Deployment,
  made: Undo,
) {
  const fullName = `${organisationId(organisation)} ${name}`;
  const [{ clientId, clientSecret }, apiKey] = await everyOne([
    createOAuthClient(deployment, fullName, scopes).then((client) => {
      made.remember(`OAuth client ${client.clientId}`, () => deleteOAuthClient(deployment, client.clientId));
      return client;
    }),
    createApiKey(deployment, fullName, made),
  ]);
  made.remember(`partner ${clientId}`, () => deletePartner(clientId));
  await insertPartner({ clientId, organisation, name, apiKeyId: apiKey.id, scopes, status: 'active', createdAt });
  return { name, clientId, clientSecret, apiKey: apiKey.value, scopes };
}
