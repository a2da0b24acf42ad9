import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import * as z from 'zod';

/**
 * Whether the stack under test is remote, known by its addresses only: BASE_URL names it, and the
 * environment gives access to its AWS account, as for the AWS CLI.
 */
export const isElsewhere = () => Boolean(process.env['BASE_URL']);

/**
 * The `stack.json` of the local stack under test, started by jest or running already.
 * @throws Error when the stack under test is remote
 */
export function stackFile(): string {
  const file = process.env['STACK_FILE'];
  if (!file) throw new Error('STACK_FILE is not set: jest starts a stack and sets it, unless BASE_URL names another');
  return file;
}

/** Data folder of the local stack under test; undefined for a remote one. */
export function localFolder(): string | undefined {
  if (isElsewhere()) return undefined;
  const folder = dirname(stackFile());
  if (!existsSync(join(folder, 'aws.json'))) throw new Error(`no stack runs in ${folder}: aws.json is not there`);
  return folder;
}

/** As `localFolder`, for tests that need this machine. @throws Error when the stack under test is remote */
export function expectLocalFolder(): string {
  const folder = localFolder();
  if (folder === undefined) throw new Error('a stack elsewhere has no folder here: move the test to on-this-machine/');
  return folder;
}

const factsShape = z.object({
  baseUrl: z.string().transform((url) => url.replace(/\/+$/, '')),
  wsUrl: z.string(),
  mqttUrl: z.string(),
  /** Certificate authority in addition to the public ones, in PEM. */
  caFile: z.string().optional(),
});

export type Facts = z.output<typeof factsShape>;

/** Addresses of the stack under test: from the environment for a remote one, else from its file. */
export function readFacts(): Facts {
  if (!isElsewhere()) return factsShape.parse(JSON.parse(readFileSync(stackFile(), 'utf8')));
  const { BASE_URL: baseUrl, WS_URL: wsUrl, MQTT_URL: mqttUrl, CA_FILE: caFile } = process.env;
  return factsShape.parse({ baseUrl, wsUrl, mqttUrl, caFile: caFile || undefined });
}

const channels = factsShape.pick({ wsUrl: true, mqttUrl: true });

/**
 * Takes the channels of a remote stack from its outputs, unless the environment names them.
 * @param onboarded output of `partner onboard --json`
 */
export function nameChannels(onboarded: string): void {
  const { wsUrl, mqttUrl } = channels.parse(JSON.parse(onboarded));
  process.env['WS_URL'] ||= wsUrl;
  process.env['MQTT_URL'] ||= mqttUrl;
}
