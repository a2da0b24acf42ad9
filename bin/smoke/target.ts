import { existsSync, readFileSync } from 'node:fs';
import * as z from 'zod';
import { authorities } from '../client/authorities';
import { localStackFile, onboarded } from '../client/onboarded';
import { Failure, UsageError } from '../partner/command-line';
import type { Flags } from './command-line';
import type { Part } from './step';

/** What a client signs in with. */
export interface Client {
  readonly clientId: string;
  readonly clientSecret: string;
  readonly apiKey: string;
}

/** The service under test, and who tests it. */
export interface Target {
  readonly baseUrl: string;
  /** Undefined when the part is left out. */
  readonly wsUrl: string | undefined;
  readonly mqttUrl: string | undefined;
  readonly ca: readonly string[] | undefined;
  readonly client: Client;
  readonly narrowClient: Client | undefined;
  /** Which parts are left out, and why. */
  readonly leftOut: ReadonlyMap<Part, string>;
}

const file = onboarded.extend({
  partners: z.array(
    z.object({ clientId: z.string(), clientSecret: z.string(), apiKey: z.string(), scopes: z.array(z.string()) }),
  ),
});

type File = z.output<typeof file>;

/**
 * Puts together what the options, the file that they name, and the environment say; options go before the file.
 * @throws UsageError when something is missing or of another form, Failure when no stack runs here
 */
export function readTarget(flags: Flags): Target {
  const found = readFile(flags);
  const known = { 'base-url': found?.baseUrl, 'ws-url': found?.wsUrl, 'mqtt-url': found?.mqttUrl };
  const url = (name: keyof typeof known, form: RegExp) => {
    const given = flags[name] ?? known[name] ?? undefined;
    if (given === undefined) throw new UsageError(`--${name} is missing${without(name)}`);
    if (!URL.canParse(given) || !form.test(given)) throw new UsageError(`--${name} must match ${form.source}`);
    return given.replace(/\/+$/, '');
  };
  const client = clientNamed(flags.client ?? found?.partners[0]?.clientId, 'client', '', found);
  const narrowClient = narrowOne(flags, client, found);
  const leftOut = new Map<Part, string>(flags.without.map((part) => [part, 'left out as asked']));
  if (!narrowClient) leftOut.set('scopes', 'left out, since no client with fewer scopes was given (--narrow-client)');
  const baseUrl = url('base-url', /^https?:\/\//);
  return {
    baseUrl,
    wsUrl: leftOut.has('wss') ? undefined : url('ws-url', /^wss?:\/\//),
    mqttUrl: leftOut.has('mqtt') ? undefined : url('mqtt-url', /^mqtts?:\/\//),
    ca: readAuthorities(flags['ca-file'] ?? found?.caFile ?? caFileAt(baseUrl)),
    client,
    narrowClient,
    leftOut,
  };
}

const without = (name: string) =>
  ({ 'ws-url': ': give it, or --without wss', 'mqtt-url': ': give it, or --without mqtt' })[name] ?? '';

/** The file that the options name, or that of the stack that runs here when they name no other service. */
function readFile(flags: Flags): File | undefined {
  const here = localStackFile();
  const elsewhere = flags['base-url'] !== undefined || flags.credentials !== undefined;
  if (flags.local && flags.credentials !== undefined) throw new UsageError('either --local or --credentials');
  if (flags.local && !existsSync(here)) {
    throw new Failure(`no local stack is running (${here} is not there): start it with \`npm start\``);
  }
  if (flags.credentials !== undefined) return readOnboarded(flags.credentials);
  if (flags.local || (!elsewhere && existsSync(here))) return readOnboarded(here);
  if (!elsewhere) {
    throw new UsageError(
      `no stack runs here (${here} is not there): start one, or say where: --base-url, --credentials`,
    );
  }
  return undefined;
}

function readOnboarded(path: string): File {
  if (!existsSync(path)) throw new UsageError(`${path}: can't be read`);
  try {
    return file.parse(JSON.parse(readFileSync(path, 'utf8')));
  } catch {
    // What is wrong is not repeated: it is a file of secrets.
    throw new UsageError(`${path}: is not what \`partner onboard --json\` prints`);
  }
}

/** The client with that id, from the file or with its secrets from the environment. */
function clientNamed(clientId: string | undefined, flag: string, prefix: string, found: File | undefined): Client {
  if (clientId === undefined) throw new UsageError(`--${flag} is missing, or --credentials`);
  const listed = found?.partners.find((partner) => partner.clientId === clientId);
  if (listed) return listed;
  const names = [`${prefix}CLIENT_SECRET`, `${prefix}API_KEY`];
  const [clientSecret, apiKey] = names.map((name) => process.env[name] || undefined);
  if (clientSecret !== undefined && apiKey !== undefined) return { clientId, clientSecret, apiKey };
  const inFile = found ? 'it is not in the file, and ' : '';
  throw new UsageError(`--${flag}: ${inFile}${names.join(' and ')} are not both in the environment`);
}

/** The client that is to be refused something: the one asked for, or one of the file that holds less than the other. */
function narrowOne(flags: Flags, client: Client, found: File | undefined): Client | undefined {
  const asked = flags['narrow-client'];
  if (asked !== undefined) return clientNamed(asked, 'narrow-client', 'NARROW_', found);
  const scopesOf = (clientId: string) => found?.partners.find((partner) => partner.clientId === clientId)?.scopes ?? [];
  return found?.partners.find(({ scopes }) => scopes.length < scopesOf(client.clientId).length);
}

/** The certificate authority of the stack that runs here, when that is the one: `partner onboard` doesn't hand it over. */
function caFileAt(baseUrl: string): string | undefined {
  const here = localStackFile();
  const stack = existsSync(here) ? readOnboarded(here) : undefined;
  return stack?.baseUrl === baseUrl ? stack.caFile : undefined;
}

function readAuthorities(path: string | undefined): readonly string[] | undefined {
  try {
    return authorities(path);
  } catch {
    throw new UsageError(`--ca-file ${path}: can't be read`);
  }
}
