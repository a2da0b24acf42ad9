import type { StackFacts as RunnerFacts } from 'cloud-assembly-runner';
import * as z from 'zod';
import { replaceFile } from 'cloud-assembly-runner/data-folder/atomic-file';
import { join } from 'node:path';

const partner = z.object({
  organisationId: z.string(),
  clientId: z.string(),
  clientSecret: z.string(),
  apiKey: z.string(),
  scopes: z.array(z.string()),
  deviceGroups: z.array(z.object({ deviceGroupId: z.string(), devices: z.array(z.object({ deviceId: z.string() })) })),
});

/** Partners as `partner onboard --json` prints them. */
export const partnersShape = z.object({ partners: z.array(partner) });

export type Partner = z.infer<typeof partner>;

/** This app's part of `stack.json`; null for channels that are not in the template. */
export interface AppFacts {
  readonly wsUrl: string | null;
  readonly shareBaseUrl: string | null;
  readonly docsUrl: string | null;
  /** Link to watch the drone that `npm start` keeps in the air; null without one. */
  readonly demoFlightUrl: string | null;
  readonly partners: readonly Partner[];
}

/** Content of `stack.json`: addresses and demo credentials for clients of the running stack. */
export type StackFacts = RunnerFacts & AppFacts;

/** Name of the file in the data folder. */
export const DEMO_ENVIRONMENT = 'demo.env';

/**
 * Addresses and the first demo partner's credentials as shell commands that set the variables of the guides
 * (docs/guides/quick-start.md); empty without a partner.
 */
export function demoEnvironment({ baseUrl, wsUrl, mqttUrl, caFile, partners }: StackFacts): string {
  const [partner] = partners;
  if (!partner) return '';
  const [group] = partner.deviceGroups;
  const mqtt = mqttUrl === null ? undefined : new URL(mqttUrl);
  const variables = {
    BASE_URL: baseUrl,
    WS_URL: wsUrl,
    MQTT_URL: mqttUrl,
    MQTT_HOST: mqtt?.hostname,
    MQTT_PORT: mqtt?.port,
    CA_FILE: caFile,
    CLIENT_ID: partner.clientId,
    CLIENT_SECRET: partner.clientSecret,
    API_KEY: partner.apiKey,
    DEVICE_GROUP_ID: group?.deviceGroupId,
    DEVICE_ID: group?.devices[0]?.deviceId,
  };
  return Object.entries(variables)
    .map(([name, value]) => `export ${name}='${(value ?? '').replaceAll("'", String.raw`'\''`)}'\n`)
    .join('');
}

/** Writes {@link demoEnvironment} into the data folder, readable by its owner only. @throws Error when the disk is full */
export function writeDemoEnvironment(folder: string, facts: StackFacts): void {
  replaceFile(join(folder, DEMO_ENVIRONMENT), demoEnvironment(facts));
}
