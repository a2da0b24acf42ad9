import { didYouMean } from '../../contract/terms/did-you-mean';
import { readOptions, type OptionValues } from '../command-line/read-options';
import { UsageError } from '../command-line/errors';

/** Parts that can be skipped: `scopes` needs a second client, the others a feature of the deployment. */
export const parts = ['mqtt', 'wss', 'scopes', 'limits'] as const;

export type Part = (typeof parts)[number];

const isPart = (word: string): word is Part => (parts as readonly string[]).includes(word);

const options = {
  local: { type: 'boolean' },
  'base-url': { type: 'string' },
  'ws-url': { type: 'string' },
  'mqtt-url': { type: 'string' },
  'ca-file': { type: 'string' },
  credentials: { type: 'string' },
  client: { type: 'string' },
  'narrow-client': { type: 'string' },
  without: { type: 'string', multiple: true },
  help: { type: 'boolean' },
} as const;

/** The options given, by name. */
export type Flags = Omit<OptionValues<typeof options>, 'without'> & {
  readonly without: readonly Part[];
};

/**
 * Reads the command line.
 * @throws UsageError that names the wrong option and the closest known one
 */
export function readCommandLine(args: readonly string[]): Flags {
  const { without = [], ...flags } = readOptions(args, options);
  // An address of `none` skips its part too.
  const none = { mqtt: flags['mqtt-url'] === 'none', wss: flags['ws-url'] === 'none' };
  const named = without.flatMap((list) => list.split(',')).map(readPart);
  return { ...flags, without: parts.filter((part) => named.includes(part) || none[part as keyof typeof none]) };
}

function readPart(word: string): Part {
  if (isPart(word)) return word;
  throw new UsageError(`--without takes some of ${parts.join(', ')}${didYouMean(word, parts)}`);
}

/** What `npm run smoke -- --help` prints. */
export const help = `Runs a partner's scenario against a running service and reports each step.

npm run smoke                      against the stack that \`npm start\` runs here
npm run smoke -- [options]         against any other

  --local              the stack that runs here, with its demo partners (the default while one runs)
  --credentials FILE   addresses and clients as printed by \`npm run partner -- onboard … --json\`
  --base-url URL       of the REST API
  --ws-url URL         of the WebSocket channels; none skips the steps that need them
  --mqtt-url URL       of the MQTT channels; none skips them
  --client ID          a client with all scopes (default: the first one in the file); without command:control
                       it tries no commands. Without a file, its secret and key come from CLIENT_SECRET
                       and API_KEY
  --narrow-client ID   a client that lacks a scope, to test refusals (default: the next one in the file, if
                       it has fewer). Without a file: NARROW_CLIENT_SECRET and NARROW_API_KEY
  --ca-file FILE       a certificate authority to trust beside the public ones
  --without PARTS      skips any of mqtt, wss, scopes, limits; comma-separated
  --help

The client's organisation needs a device group with a device. Use one for tests only: a running fleet flies its jobs, and
a telemetry sample is published for a device. Commands and a dispatch are sent only in forms that are refused. Everything
created is deleted at the end. The last step uses up the client's share creations of the minute; --without limits skips it.

Exit code 0: every step passed. 1: a step failed, or there is no stack. 2: invalid command line.
`;
