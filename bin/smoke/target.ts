import { existsSync, readFileSync } from 'node:fs';
import * as z from 'zod';
import { trustedCertificates, localStackFile, credentialsFile } from '../client/credentials-file';
import { UsageError, Failure } from '../command-line/errors';
import type { Flags, Part } from './command-line';

/** Credentials of a client. */
export interface Client {
  readonly clientId: string;
  readonly clientSecret: string;
  readonly apiKey: string;
}

/** The service under test and the clients that test it. */
export interface Target {
  readonly baseUrl: string;
  /** Undefined when the part is skipped. */
  readonly wsUrl: string | undefined;
  readonly mqttUrl: string | undefined;
  readonly ca: readonly string[] | undefined;
  readonly client: Client;
  readonly narrowClient: Client | undefined;
  /** Skipped parts, with the reason. */
  readonly skipped: ReadonlyMap<Part, string>;
}

const targetFile = credentialsFile.extend({
  partners: z.array(
    z.object({ clientId: z.string(), clientSecret: z.string(), apiKey: z.string(), scopes: z.array(z.string()) }),
  ),
});

type TargetFile = z.output<typeof targetFile>;

/**
 * Resolves the target from the options, the file that they name and the environment; options override the file.
 * @throws UsageError for a missing or malformed value, Failure when no stack runs here
 */
export function readTarget(flags: Flags): Target {
  const found = readFile(flags);
  const known = { 'base-url': found?.baseUrl, 'ws-url': found?.wsUrl, 'mqtt-url': found?.mqttUrl };
  const url = (name: keyof typeof known, form: RegExp) => {
    const given = flags[name] ?? known[name] ?? undefined;
    if (given === undefined) throw new UsageError(`--${name} is missing${hintFor(name)}`);
    if (!URL.canParse(given) || !form.test(given)) throw new UsageError(`--${name} must match ${form.source}`);
    return given.replace(/\/+$/, '');
  };
  const client = findClient(flags.client ?? found?.partners[0]?.clientId, 'client', '', found);
  const narrowClient = findNarrowClient(flags, client, found);
  const skipped = new Map<Part, string>(flags.without.map((part) => [part, 'skipped by option']));
  if (!narrowClient) skipped.set('scopes', 'no client with fewer scopes was given (--narrow-client)');
  const baseUrl = url('base-url', /^https?:\/\//);
  return {
    baseUrl,
    wsUrl: skipped.has('wss') ? undefined : url('ws-url', /^wss?:\/\//),
    mqttUrl: skipped.has('mqtt') ? undefined : url('mqtt-url', /^mqtts?:\/\//),
    ca: readAuthorities(flags['ca-file'] ?? found?.caFile ?? caFileAt(baseUrl)),
    client,
    narrowClient,
    skipped,
  };
}

const hintFor = (name: string) =>
  ({ 'ws-url': ': give it, or --without wss', 'mqtt-url': ': give it, or --without mqtt' })[name] ?? '';

/** The file that the options name, or that of the local stack when they name no other service. */
function readFile(flags: Flags): TargetFile | undefined {
  const here = localStackFile();
  const namesOther = flags['base-url'] !== undefined || flags.credentials !== undefined;
  if (flags.local && flags.credentials !== undefined) throw new UsageError('either --local or --credentials');
  if (flags.local && !existsSync(here)) {
    throw new Failure(`no local stack is running (${here} does not exist): start it with \`npm start\``);
  }
  if (flags.credentials !== undefined) return readCredentialsFile(flags.credentials);
  if (flags.local || (!namesOther && existsSync(here))) return readCredentialsFile(here);
  if (!namesOther) {
    throw new UsageError(`no stack runs here (${here} does not exist): start one, or give --base-url or --credentials`);
  }
  return undefined;
}

function readCredentialsFile(path: string): TargetFile {
  if (!existsSync(path)) throw new UsageError(`${path}: can't be read`);
  try {
    return targetFile.parse(JSON.parse(readFileSync(path, 'utf8')));
  } catch {
    // The cause is not repeated: the file holds secrets.
    throw new UsageError(`${path}: is not what \`partner onboard --json\` prints`);
  }
}

/** The client with that id, from the file or with its secrets from the environment. */
function findClient(clientId: string | undefined, flag: string, prefix: string, found: TargetFile | undefined): Client {
  if (clientId === undefined) throw new UsageError(`--${flag} is missing, or --credentials`);
  const listed = found?.partners.find((partner) => partner.clientId === clientId);
  if (listed) return listed;
  const names = [`${prefix}CLIENT_SECRET`, `${prefix}API_KEY`];
  const [clientSecret, apiKey] = names.map((name) => process.env[name] || undefined);
  if (clientSecret !== undefined && apiKey !== undefined) return { clientId, clientSecret, apiKey };
  const inFile = found ? 'it is not in the file, and ' : '';
  throw new UsageError(`--${flag}: ${inFile}${names.join(' and ')} are not both in the environment`);
}

/** The client for refusals: the one requested, or one in the file that has fewer scopes. */
function findNarrowClient(flags: Flags, client: Client, found: TargetFile | undefined): Client | undefined {
  const asked = flags['narrow-client'];
  if (asked !== undefined) return findClient(asked, 'narrow-client', 'NARROW_', found);
  const scopesOf = (clientId: string) => found?.partners.find((partner) => partner.clientId === clientId)?.scopes ?? [];
  return found?.partners.find(({ scopes }) => scopes.length < scopesOf(client.clientId).length);
}

/** CA file of the local stack if it is the target: `partner onboard` prints it with --local only. */
function caFileAt(baseUrl: string): string | undefined {
  const here = localStackFile();
  const stack = existsSync(here) ? readCredentialsFile(here) : undefined;
  return stack?.baseUrl === baseUrl ? stack.caFile : undefined;
}

function readAuthorities(path: string | undefined): readonly string[] | undefined {
  try {
    return trustedCertificates(path);
  } catch {
    throw new UsageError(`--ca-file ${path}: can't be read`);
  }
}
