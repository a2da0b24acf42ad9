import { rmSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import type { Credentials } from '../aws-endpoint';
import { readJsonFile, replaceFile } from '../data-folder/atomic-file';

/** Addresses for clients of the running stack: the content of `stack.json`, without what the app adds. */
export interface StackFacts {
  /** Address of the REST API. */
  readonly baseUrl: string;
  /** Address of the MQTT broker; null when the template has none. */
  readonly mqttUrl: string | null;
  /** Certificate of the authority that signs for this machine, PEM. */
  readonly caFile: string;
}

/** Endpoint and credentials of the AWS APIs of the running stack: the content of `aws.json`. */
export interface AwsAccess extends Credentials {
  readonly endpointUrl: string;
  readonly region: string;
  readonly stackName: string;
}

/** Writes `stack.json` and `aws.json`, readable only by their owner because they contain secrets. */
export function writeStackFiles(folder: string, facts: StackFacts, access: AwsAccess): void {
  writePrivately(join(folder, 'aws.json'), access);
  writePrivately(join(folder, 'stack.json'), facts);
}

/** Removes both, so that a stopped stack is not taken for a running one. */
export function removeStackFiles(folder: string): void {
  for (const name of ['stack.json', 'aws.json']) rmSync(join(folder, name), { force: true });
}

/** Base URL of the stack that runs with this folder; `undefined` when none does, even if a crashed one left its files. */
export async function runningAt(folder: string): Promise<string | undefined> {
  const { baseUrl } = readFacts(folder) ?? {};
  if (baseUrl === undefined) return undefined;
  return fetch(baseUrl).then(
    () => baseUrl,
    () => undefined,
  );
}

/** An unreadable file counts as missing: each start writes it anew. */
function readFacts(folder: string) {
  try {
    return readJsonFile(join(folder, 'stack.json'), z.object({ baseUrl: z.url() }), '');
  } catch {
    return undefined;
  }
}

function writePrivately(file: string, value: unknown): void {
  replaceFile(file, `${JSON.stringify(value, null, 2)}\n`);
}
