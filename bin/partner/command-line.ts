import { parseArgs } from 'node:util';
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
  stack: { type: 'string' },
  local: { type: 'boolean' },
  json: { type: 'boolean' },
  help: { type: 'boolean' },
} as const;

type Flag = keyof typeof options;

/** The flags given, by name. */
export type Flags = ReturnType<typeof parseArgs<{ options: typeof options }>>['values'];

const commonFlags: readonly Flag[] = ['stack', 'local', 'json', 'help'];

/** All commands with their own flags. */
const commandFlags = {
  onboard: ['organisation', 'organisation-id', 'client', 'scopes', 'fleet', 'file'],
  list: [],
  suspend: ['client-id', 'organisation-id'],
  resume: ['client-id', 'organisation-id'],
  'rotate-secret': ['client-id', 'retire-old'],
  'rotate-key': ['client-id', 'retire-old'],
  offboard: ['client-id', 'organisation-id'],
} as const satisfies Readonly<Record<string, readonly Flag[]>>;

export type CommandName = keyof typeof commandFlags;

const isCommand = (word: string): word is CommandName => Object.hasOwn(commandFlags, word);

/**
 * Reads a command and its flags.
 * @returns undefined for help
 * @throws UsageError for an unknown command or flag
 */
export function readCommandLine(
  args: readonly string[],
): { readonly command: CommandName; readonly flags: Flags } | undefined {
  const { values: flags, positionals } = parse(args);
  const [command, ...more] = positionals;
  if (flags.help || command === 'help') return undefined;
  if (command === undefined) throw new UsageError(`missing command; known are ${Object.keys(commandFlags).join(', ')}`);
  if (!isCommand(command)) throw new UsageError(`unknown command; known are ${Object.keys(commandFlags).join(', ')}`);
  // The words are not repeated: one of them may be a secret.
  if (more.length > 0) throw new UsageError(`${command} takes flags only, such as --json`);
  const accepted: readonly Flag[] = [...commandFlags[command], ...commonFlags];
  const unexpected = (Object.keys(flags) as Flag[]).find((flag) => !accepted.includes(flag));
  if (unexpected) throw new UsageError(`${command} does not take --${unexpected}`);
  return { command, flags };
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true });
  } catch (error) {
    // Node adds advice after the first sentence.
    throw new UsageError(String(error instanceof Error ? error.message : error).split(/\. |\.?\n/)[0]);
  }
}
