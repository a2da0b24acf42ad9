import {
  deleteOrganisation,
  findOrganisation,
  listOrganisations,
  registerOrganisation,
} from '../../data/access/organisations';
import { deletePartner, insertPartner } from '../../data/access/partners';
import { organisationId, type Organisation } from '../../domain/values/id';
import { createApiKey, createOAuthClient, deleteOAuthClient } from './credentials';
import { Failure, reasonOf } from '../command-line/errors';
import type { Flags } from './command-line';
import type { Deployment } from '../deployment/deployment';
import { readFleet, registerFleet, type OnboardedGroup } from './fleet';
import { readOnboardingPlan, type PlannedClient, type PlannedOrganisation } from './onboarding-plan';
import { syncOrganisationStatus, tellPlatform } from './organisation';
import { printable } from '../command-line/terminal';
import type { Report } from '../program/run-program';
import type { Session } from '../deployment/session';
import { Rollback, allSettled } from './rollback';
import { table } from '../command-line/table';

/** A new client's credentials, printed once. */
interface OnboardedClient {
  readonly organisationId: string;
  readonly organisation: string;
  readonly name: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly apiKey: string;
  readonly scopes: readonly string[];
  readonly deviceGroups: readonly OnboardedGroup[];
}

/** Onboarding's result as text. */
function describeOnboarded(
  { addresses, resourceServer, caFile }: Deployment,
  clients: readonly OnboardedClient[],
): string {
  const described = clients.map(({ name, organisation, deviceGroups, ...client }) => {
    const facts = [
      ['organisation', client.organisationId],
      ['client id', client.clientId],
      ['client secret', client.clientSecret],
      ['API key', client.apiKey],
      ['scopes', client.scopes.join(' ')],
      ['base address', addresses.baseUrl],
      ['tokens', `POST ${addresses.tokenUrl}`],
      ['WebSocket', addresses.wsUrl],
      ['MQTT', addresses.mqttUrl],
      ...(caFile === undefined ? [] : [['CA file for MQTT', caFile]]),
      ['share links', `${addresses.shareBaseUrl}/share/…`],
      ['resource server', resourceServer],
    ];
    const groups = deviceGroups.length > 0 ? describeGroups(deviceGroups) : noGroups(client.organisationId);
    return [printable(`${name} of ${organisation}`), indented(table(facts)), groups].join('\n');
  });
  return [...described, 'The client secret and the API key are not shown again.'].join('\n\n');
}

function describeGroups(groups: readonly OnboardedGroup[]): string {
  const rows = groups.flatMap(({ deviceGroupId, name, devices }) => [
    [deviceGroupId, name, ''],
    ...devices.map((device) => [`  ${device.deviceId}`, device.name, device.streamId ?? '']),
  ]);
  return indented(table(rows));
}

/** Device groups are registered with a client, so an organisation without any gets them with its next one. */
const noGroups = (organisation: string) =>
  indented(`no device groups yet: a job needs a device of one. They are added with --fleet FILE, here with a next client
(onboard --organisation-id ${organisation} --client … --scopes … --fleet FILE); \`onboard --help\` has an example.`);

const indented = (text: string) => text.replaceAll(/^/gm, '  ');

/**
 * Onboards all clients of the plan or none: after a failure everything created is rolled back.
 * @throws UsageError for an invalid plan, Failure for an error of AWS
 */
export async function onboard(flags: Flags, session: Session): Promise<Report> {
  const plan = await readOnboardingPlan(flags);
  const deployment = await session.connect();
  const rollback = new Rollback();
  try {
    await warnOfSameNames(plan, flags, session);
    const partners: OnboardedClient[] = [];
    const told: Onboarded[] = [];
    // One organisation after another, because of AWS's rate limits (API Gateway quotas: 5 CreateApiKey a second).
    for (const organisation of plan) {
      const names = organisation.clients.map(({ name }) => printable(name)).join(', ');
      session.progress(`creating OAuth client and API key of ${names}`);
      const onboarded = await onboardOrganisation(organisation, deployment, rollback);
      partners.push(...onboarded.clients);
      told.push(onboarded);
    }
    session.progress('telling the drone platform');
    for (const { organisation, addedGroups } of told) await tellPlatform(organisation, session, addedGroups);
    const { addresses, resourceServer, caFile } = deployment;
    const json = { ...addresses, ...(caFile !== undefined && { caFile }), resourceServer, partners };
    return { json, text: describeOnboarded(deployment, json.partners) };
  } catch (error) {
    session.progress('deleting what was created');
    throw await rollback.run(reasonOf(error));
  }
}

/** Names are not unique, so a second organisation of a name is created; it is seldom what was meant. */
async function warnOfSameNames(plan: readonly PlannedOrganisation[], flags: Flags, session: Session): Promise<void> {
  const names = plan.flatMap((planned) => ('name' in planned ? [planned.name] : []));
  if (names.length === 0) return;
  session.progress('reading the names of organisations');
  const { organisations } = await listOrganisations();
  for (const name of new Set(names)) {
    const namesakes = organisations.filter((registered) => registered.name.toLowerCase() === name.toLowerCase());
    const [id] = namesakes.map(({ organisation }) => organisationId(organisation));
    if (id === undefined) continue;
    const others = namesakes.length > 1 ? `, and ${namesakes.length - 1} more` : '';
    const instead = flags.file === undefined ? `--organisation-id ${id}` : `"organisationId": "${id}"`;
    session.warn(
      `warning: there is an organisation ${printable(name)} already, ${id}${others}; this creates another. To add a client to it instead: ${instead}`,
    );
  }
}

interface Onboarded {
  readonly organisation: Organisation;
  readonly clients: readonly OnboardedClient[];
  /** Identifiers of the device groups that it has got. */
  readonly addedGroups: readonly string[];
}

async function onboardOrganisation(
  planned: PlannedOrganisation,
  deployment: Deployment,
  rollback: Rollback,
): Promise<Onboarded> {
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
  return {
    organisation,
    clients: clients.map((client) => ({
      organisationId: organisationId(organisation),
      organisation: name,
      ...client,
      deviceGroups,
    })),
    addedGroups: added.map(({ deviceGroupId }) => deviceGroupId),
  };
}

/** The registered organisation, or a new one. */
async function findOrRegister(planned: PlannedOrganisation, now: string, rollback: Rollback) {
  if ('tag' in planned) {
    const found = await findOrganisation(planned.tag);
    if (!found) throw new Failure(`there is no organisation ${organisationId(planned.tag)}: \`list\` shows them`);
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
