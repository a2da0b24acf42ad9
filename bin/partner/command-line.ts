import { readCommand, type CommandTable } from '../program/read-command';
import type { OptionValues } from '../command-line/read-options';

/** No flag takes a secret: the shell's history keeps command lines. */
const options = {
  organisation: { type: 'string' },
  'organisation-id': { type: 'string' },
  client: { type: 'string' },
  scopes: { type: 'string' },
  fleet: { type: 'string' },
  file: { type: 'string' },
  'client-id': { type: 'string' },
  'retire-old': { type: 'boolean' },
  since: { type: 'string' },
  yes: { type: 'boolean' },
  stack: { type: 'string' },
  local: { type: 'boolean' },
  json: { type: 'boolean' },
  help: { type: 'boolean' },
} as const;

type Flag = keyof typeof options;

/** The flags given, by name. */
export type Flags = OptionValues<typeof options>;

/** All commands with their own flags. */
export const commandFlags = {
  onboard: ['organisation', 'organisation-id', 'client', 'scopes', 'fleet', 'file'],
  list: [],
  suspend: ['client-id', 'organisation-id'],
  resume: ['client-id', 'organisation-id'],
  contain: ['client-id', 'since'],
  'rotate-secret': ['client-id', 'retire-old'],
  'rotate-key': ['client-id', 'retire-old'],
  offboard: ['client-id', 'organisation-id', 'yes'],
} as const satisfies Readonly<Record<string, readonly Flag[]>>;

export type CommandName = keyof typeof commandFlags;

const table: CommandTable<typeof options, CommandName> = {
  options,
  flags: commandFlags,
  commonFlags: ['stack', 'local', 'json', 'help'],
  // In a hurry.
  word: { contain: 'client-id' },
};

/** Reads a command and its flags. @throws UsageError as {@link readCommand} does */
export const readCommandLine = (args: readonly string[]) => readCommand(args, table);
