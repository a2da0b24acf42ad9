import { limitNames } from '../../contract/limits';
import { readCommand, type CommandTable } from '../program/read-command';
import type { OptionValues } from '../command-line/read-options';

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
