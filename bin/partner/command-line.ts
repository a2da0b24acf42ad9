import { didYouMean } from '../../contract/did-you-mean';
import { readOptionsAndWords, type OptionValues } from '../command-line/read-options';
import { UsageError } from '../command-line/usage-error';

/** The command can't be carried out: exit code 1. */
export class Failure extends Error {
  override readonly name = 'Failure';
}

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
  yes: { type: 'boolean' },
  stack: { type: 'string' },
  local: { type: 'boolean' },
  json: { type: 'boolean' },
  help: { type: 'boolean' },
} as const;

type Flag = keyof typeof options;

/** The flags given, by name. */
export type Flags = OptionValues<typeof options>;

const commonFlags: readonly Flag[] = ['stack', 'local', 'json', 'help'];

/** All commands with their own flags. */
export const commandFlags = {
  onboard: ['organisation', 'organisation-id', 'client', 'scopes', 'fleet', 'file'],
  list: [],
  suspend: ['client-id', 'organisation-id'],
  resume: ['client-id', 'organisation-id'],
  'rotate-secret': ['client-id', 'retire-old'],
  'rotate-key': ['client-id', 'retire-old'],
  offboard: ['client-id', 'organisation-id', 'yes'],
} as const satisfies Readonly<Record<string, readonly Flag[]>>;

export type CommandName = keyof typeof commandFlags;

/** What a command line asks for: a command, or help, of one command or of all. */
type CommandLine =
  { readonly command: CommandName; readonly flags: Flags } | { readonly help: CommandName | undefined };

/**
 * Reads a command and its flags.
 * @throws UsageError for an unknown command or flag; no value is repeated, since it may be a secret
 */
export function readCommandLine(args: readonly string[]): CommandLine {
  const { values: flags, words } = readOptionsAndWords(args, options);
  const asksForHelp = words[0] === 'help';
  const [word, ...more] = asksForHelp ? words.slice(1) : words;
  const command = word === undefined ? undefined : readCommand(word);
  if (asksForHelp || flags.help) return { help: command };
  if (command === undefined) throw new UsageError(`missing command; ${known}`);
  const accepted: readonly Flag[] = [...commandFlags[command], ...commonFlags];
  if (more.length > 0) {
    throw new UsageError(`${command} takes options only, such as --${accepted[0]}; put a value with spaces in quotes`);
  }
  const unexpected = (Object.keys(flags) as Flag[]).find((flag) => !accepted.includes(flag));
  if (unexpected) {
    throw new UsageError(`${command} does not take --${unexpected}; it takes --${accepted.join(', --')}`);
  }
  return { command, flags };
}

const commandNames = Object.keys(commandFlags);
const known = `known are ${commandNames.join(', ')}; --help describes them`;

const isCommand = (word: string): word is CommandName => Object.hasOwn(commandFlags, word);

function readCommand(word: string): CommandName {
  if (isCommand(word)) return word;
  throw new UsageError(`unknown command${didYouMean(word, commandNames) || `; ${known}`}`);
}
