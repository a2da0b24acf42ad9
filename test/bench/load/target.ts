import { existsSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import * as z from 'zod';
import { DroneMissionClient } from 'drone-mission-client';
import { localStackFile } from '../../../bin/client/credentials-file';
import { UsageError } from '../../../bin/command-line/errors';
import { partnersShape, type Partner } from '../../../bin/start/stack-facts';
import { connectClient, onboardClients, type ChannelClient } from '../support/many-clients';

const addresses = z.object({
  baseUrl: z.url({ protocol: /^https?$/ }).transform((url) => url.replace(/\/+$/, '')),
  wsUrl: z.url({ protocol: /^wss?$/ }).nullable(),
  mqttUrl: z.url({ protocol: /^mqtts?$/ }).nullable(),
  /** PEM file of an authority to trust; local stacks only. */
  caFile: z.string().optional(),
});

/** The service that gets the load. */
export type Target = z.infer<typeof addresses> & {
  /** Different clients, with tokens. @throws UsageError when it has fewer */
  readonly clients: (count: number) => Promise<readonly ChannelClient[]>;
};

const variables = z.object({ CLIENT_ID: z.string(), CLIENT_SECRET: z.string(), API_KEY: z.string() });

/**
 * The stack of a file of credentials, else that of the environment, else the one that `npm start` runs here.
 * @throws UsageError for a malformed file or environment, Error when no stack runs here
 */
export function findTarget(credentials: string | undefined): Target {
  if (credentials !== undefined) return ofFile(credentials);
  return process.env['BASE_URL'] ? ofEnvironment(process.env) : here();
}

function ofFile(file: string): Target {
  const { partners, ...found } = parsed(addresses.and(partnersShape), file, () => readFileSync(file, 'utf8'));
  // Clients of one organisation follow each other's jobs.
  const [first] = partners;
  const ofOne = partners.filter(({ organisationId }) => organisationId === first?.organisationId);
  return { ...found, clients: (count) => connectAll(found.baseUrl, ofOne, count) };
}

function ofEnvironment({ BASE_URL, WS_URL, MQTT_URL, ...environment }: NodeJS.ProcessEnv): Target {
  const { CLIENT_ID, CLIENT_SECRET, API_KEY } = parsed(variables, 'CLIENT_ID, CLIENT_SECRET and API_KEY', () =>
    JSON.stringify(environment),
  );
  const found = parsed(addresses, 'BASE_URL, WS_URL or MQTT_URL', () =>
    JSON.stringify({ baseUrl: BASE_URL, wsUrl: WS_URL ?? null, mqttUrl: MQTT_URL ?? null }),
  );
  const { baseUrl } = found;
  const client = { clientId: CLIENT_ID, clientSecret: CLIENT_SECRET, apiKey: API_KEY };
  const clients = async (count: number) => {
    const groups = await new DroneMissionClient({ baseUrl, ...client }).deviceGroups.list();
    const deviceGroups = groups.map(({ deviceGroupId, devices }) => ({ deviceGroupId, devices: [...devices] }));
    return connectAll(baseUrl, [{ ...client, organisationId: '', scopes: [], deviceGroups }], count);
  };
  return { ...found, clients };
}

/** Each scenario gets clients of its own, so that none uses up the limits of another. */
function here(): Target {
  const file = localStackFile();
  if (!existsSync(file)) throw new Error('No stack is running here: start one with `npm start` in another terminal.');
  const found = parsed(addresses, file, () => readFileSync(file, 'utf8'));
  return { ...found, clients: (count) => onboardClients(dirname(file), found.baseUrl, count) };
}

async function connectAll(baseUrl: string, partners: readonly Partner[], count: number): Promise<ChannelClient[]> {
  if (partners.length < count)
    throw new UsageError(`the limits of ${partners.length} clients don't allow that load: it needs ${count} clients`);
  return Promise.all(partners.slice(0, count).map((partner) => connectClient(baseUrl, partner)));
}

/** @throws UsageError that repeats no value: it may be a secret */
function parsed<Shape>(shape: z.ZodType<Shape>, source: string, read: () => string): Shape {
  try {
    return shape.parse(JSON.parse(read()));
  } catch {
    throw new UsageError(`${source}: missing or not as expected; see --help`);
  }
}
