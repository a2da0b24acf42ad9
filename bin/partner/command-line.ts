import { parseArgs } from 'node:util';

/** What was asked for makes no sense: exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** What was asked for can't be done: exit code 1. */
export class Failure extends Error {
  override readonly name = 'Failure';
}

/** No flag takes a secret: what stands on a command line is kept in the shell's history. */
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

/** The flags that were given, by name. */
export type Flags = ReturnType<typeof parseArgs<{ options: typeof options }>>['values'];

const everywhere: readonly Flag[] = ['stack', 'local', 'json', 'help'];

/** Every command with the flags of its own. */
const commandFlags = {
  onboard: ['organisation', 'organisation-id', 'client', 'scopes', 'fleet', 'file'],
  list: [],
  suspend: ['client-id', 'organisation-id'],
  resume: ['client-id', 'organisation-id'],
  'rotate-secret': ['client-id', 'retire-old'],
  'rotate-key': ['client-id'],
  offboard: ['client-id', 'organisation-id'],
} as const satisfies Readonly<Record<string, readonly Flag[]>>;

export type CommandName = keyof typeof commandFlags;

const isCommand = (word: string): word is CommandName => Object.hasOwn(commandFlags, word);

/**
 * Reads a command and its flags.
 * @returns undefined when help is asked for
 * @throws UsageError for anything unknown
 */
export function readCommandLine(
  words: readonly string[],
): { readonly command: CommandName; readonly flags: Flags } | undefined {
  const { values: flags, positionals } = parse(words);
  const [command, ...more] = positionals;
  if (flags.help || command === 'help') return undefined;
  if (command === undefined) throw new UsageError(`which command? One of ${Object.keys(commandFlags).join(', ')}`);
  if (!isCommand(command)) throw new UsageError(`unknown command; known are ${Object.keys(commandFlags).join(', ')}`);
  // The words themselves are not repeated: one of them may be a secret.
  if (more.length > 0) throw new UsageError(`${command} takes flags only, such as --json`);
  const taken: readonly Flag[] = [...commandFlags[command], ...everywhere];
  const strange = (Object.keys(flags) as Flag[]).find((flag) => !taken.includes(flag));
  if (strange) throw new UsageError(`${command} does not take --${strange}`);
  return { command, flags };
}

function parse(words: readonly string[]) {
  try {
    return parseArgs({ args: [...words], options, allowPositionals: true });
  } catch (error) {
    // Node adds advice after the first sentence.
    throw new UsageError(String(error instanceof Error ? error.message : error).split(/\. |\.?\n/)[0]);
  }
}
