import { rmSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import type { Credentials } from './aws-endpoint';
import { readJsonFile, replaceFile } from './kept-file';

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

/** What a client of the running stack needs to know: the content of `stack.json`. Channels that do not exist are null. */
export interface StackFacts {
  readonly baseUrl: string;
  readonly wsUrl: string | null;
  readonly mqttUrl: string | null;
  readonly shareBaseUrl: string | null;
  readonly caFile: string;
  readonly partners: readonly Partner[];
}

/** How the command line reaches the AWS APIs of the running stack: the content of `aws.json`. */
export interface AwsAccess extends Credentials {
  readonly endpointUrl: string;
  readonly region: string;
  readonly stackName: string;
}

/** Writes `stack.json` and `aws.json`, readable by their owner alone since they hold secrets. */
export function writeStackFiles(folder: string, facts: StackFacts, access: AwsAccess): void {
  writePrivately(join(folder, 'aws.json'), access);
  writePrivately(join(folder, 'stack.json'), facts);
}

/** Removes both, so that nobody takes a stopped stack for a running one. */
export function removeStackFiles(folder: string): void {
  for (const name of ['stack.json', 'aws.json']) rmSync(join(folder, name), { force: true });
}

/** Base address of a stack that runs with this folder; `undefined` when none does, even if one left its files behind. */
export async function runningAt(folder: string): Promise<string | undefined> {
  const { baseUrl } = readFacts(folder) ?? {};
  if (baseUrl === undefined) return undefined;
  return fetch(baseUrl).then(
    () => baseUrl,
    () => undefined,
  );
}

/** What can't be read tells of no stack: it is written anew at each start. */
function readFacts(folder: string) {
  try {
    return readJsonFile(join(folder, 'stack.json'), z.object({ baseUrl: z.url() }), '');
  } catch {
    return undefined;
  }
}

/**
 * Partners of an earlier start; `undefined` when the folder has none.
 * @throws Error that names file, line and remedy when the file can't be read
 */
export function readPartners(folder: string): readonly Partner[] | undefined {
  const remedy = `put back a copy of it, or remove ${folder} to start afresh`;
  return readJsonFile(join(folder, 'partners.json'), partnersShape, remedy)?.partners;
}

export function writePartners(folder: string, partners: readonly Partner[]): void {
  writePrivately(join(folder, 'partners.json'), { partners });
}

function writePrivately(file: string, value: unknown): void {
  replaceFile(file, `${JSON.stringify(value, null, 2)}\n`);
}
