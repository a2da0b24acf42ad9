import { limitNames, MOST_PER_MINUTE } from '../../contract/limits';
import { readCommand, type CommandTable, commonOptions } from '../program/read-command';
import type { OptionValues } from '../command-line/read-options';
import { kinds, organisationOf, type Kind, type Organisation } from '../../domain/values/id';
import { UsageError } from '../command-line/errors';

/** Operations by the flag that sets the limit of a client. */
export const limitFlags: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(limitNames).map(([operation, name]) => [`${name}-per-minute`, operation]),
);

type LimitFlag = `${(typeof limitNames)[keyof typeof limitNames]}-per-minute`;

const limitOptions = Object.fromEntries(Object.keys(limitFlags).map((flag) => [flag, { type: 'string' }])) as Record<
  LimitFlag,
  { readonly type: 'string' }
>;

const options = {
  id: { type: 'string' },
  ...limitOptions,
  default: { type: 'boolean' },
  now: { type: 'boolean' },
  yes: { type: 'boolean' },
  stack: { type: 'string' },
  local: { type: 'boolean' },
  json: { type: 'boolean' },
  help: { type: 'boolean' },
} as const;

/** The flags given, by name. */
export type Flags = OptionValues<typeof options>;

/** All commands with their own flags. */
export const commandFlags = {
  job: ['id'],
  share: ['id'],
  device: ['id'],
  client: ['id'],
  'revoke-share': ['id', 'yes'],
  limits: ['id', ...Object.keys(limitFlags), 'default', 'now'],
} as const satisfies Readonly<Record<string, readonly string[]>>;

export type CommandName = keyof typeof commandFlags;

const table: CommandTable<typeof options, CommandName> = {
  options,
  flags: commandFlags,
  commonFlags: ['stack', 'local', 'json', 'help'],
  word: { job: 'id', share: 'id', device: 'id', client: 'id', 'revoke-share': 'id', limits: 'id' },
};

/** Reads a command and its flags. @throws UsageError as {@link readCommand} does */
export const readCommandLine = (args: readonly string[]) => readCommand(args, table);

/** An identifier and the organisation in it. */
export interface KnownId {
  readonly id: string;
  readonly organisation: Organisation;
}

/**
 * Reads the identifier of a resource.
 * @throws UsageError for one of another form or kind; it is not repeated, since it may be a share code or a secret
 */
export function readId({ id }: Flags, kind: Kind): KnownId {
  const given = expectGiven(id, kind);
  const organisation = organisationOf(kind, given);
  if (organisation !== undefined) return { id: given, organisation };
  throw new UsageError(
    wrongKind(given, kind) ?? `that is no id of a ${kind}: one begins with ${kind}- and has 36 characters or more`,
  );
}

/** Reads a share code or the digest of one. @throws UsageError for another form */
export function readShareId({ id }: Flags): string {
  const given = expectGiven(id, 'share');
  if (/^[0-9a-f]{32}$/.test(given) || organisationOf('share', given) !== undefined) return given;
  throw new UsageError(
    wrongKind(given, 'share') ?? 'that is neither a share code nor the digest of one, 32 digits and letters a to f',
  );
}

/** Reads the id of a client. @throws UsageError without one, and for the id of a resource */
export function readClientId({ id }: Flags): string {
  const given = expectGiven(id, 'client');
  const wrong = wrongKind(given, 'client');
  if (wrong !== undefined) throw new UsageError(wrong);
  return given;
}

function expectGiven(id: string | undefined, kind: string): string {
  if (id === undefined) throw new UsageError(`needs the id of a ${kind}; --help has an example`);
  return id;
}

const shown = ['job', 'share', 'device'];

function wrongKind(id: string, kind: string): string | undefined {
  const other = kinds.find((each) => each !== kind && organisationOf(each, id) !== undefined);
  if (other === undefined) return undefined;
  const hint = shown.includes(other) ? `: \`operator -- ${other}\` shows it` : '';
  return `that is the id of a ${other}, not of a ${kind}${hint}`;
}

/** What `npm run operator -- help` prints. */
export const overview = `Shows what a partner or a viewer sees, and acts on it. Prints no secret, API key
or share code.

npm run operator -- <command> <id> [options]
npm run operator -- <command> --help    its options, with an example

  job                       state, timeline, creator, followers
  share                     state, device, viewers, expiry
  device                    state, group, job, stream, followers, shares,
                            publishers, what was dropped
  client                    status, scopes, connections, limits, last jobs
  revoke-share              ends a share
  limits                    shows the limits of a client, or gives it its own

${commonOptions}`;

const show = (kind: string, what: string, example: string) => `Shows a ${kind}: ${what}

  --id ID                   the ${kind}; also as a word of its own

  npm run --silent operator -- ${kind} --local \\
    ${example}
`;

const commands: Readonly<Record<CommandName, string>> = {
  job: show('job', 'state, timeline, who made and changed it, followers.', 'job-7k2m9qx4-01jd8x2v4n6q8s0t2w4y6z8b0c'),
  share: show(
    'share',
    'state, device, viewers, expiry, creator. Takes its code or\nits digest, as logs have it, and prints the digest.',
    '3b7c1e0f9d2a4c6e8b1d3f5a7c9e0b2d',
  ),
  device: show(
    'device',
    'state, group, job, stream, followers, shares. From the\nlogs of the last hour: who published it, and what was dropped and why.',
    'device-7k2m9qx4-01jd8x2v4n6q8s0t2w4y6z8b0c',
  ),
  client: show(
    'client',
    'status, scopes, number of keys, from when its tokens count,\nconnections, limits, last jobs.',
    '1h57kf5cpq17m0eml12example',
  ),
  'revoke-share': `Ends a share, as its partner could: viewers are told, and disconnected. Asks
before it does.

  --id ID                   its code or digest; also as a word of its own
  --yes                     revokes without asking; needed without a terminal

  npm run --silent operator -- revoke-share --local --yes \\
    3b7c1e0f9d2a4c6e8b1d3f5a7c9e0b2d
`,
  limits: `Shows how often a client may call what in a minute. With an option it gives the
client its own limit, from what every client has to ${MOST_PER_MINUTE}. GET /v3/limits
lists it.

  --id ID                   the client; also as a word of its own
${Object.keys(limitFlags)
  .map((flag) => `  --${flag} COUNT`)
  .join('\n')}
  --default                 the limits of every client again
  --now                     in force at once instead of within five minutes: the
                            authorizer runs once more for each token in use

  npm run --silent operator -- limits --local --jobs-per-minute 300 \\
    1h57kf5cpq17m0eml12example
`,
};

/** What `npm run operator -- <command> --help` prints. */
export const helpFor = (command: CommandName): string => `${commands[command]}\n${commonOptions}`;
