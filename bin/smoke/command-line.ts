import { parseArgs } from 'node:util';
import { didYouMean } from '../../lib/nearest-name';
import { UsageError } from '../partner/command-line';
import { isPart, parts, type Part } from './step';

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

/** The options that were given, by name. */
export type Flags = Omit<ReturnType<typeof parseArgs<{ options: typeof options }>>['values'], 'without'> & {
  readonly without: readonly Part[];
};

const names = Object.keys(options).map((name) => `--${name}`);

/**
 * Reads the command line.
 * @throws UsageError that names the option that is wrong, and the one that was probably meant
 */
export function readCommandLine(words: readonly string[]): Flags {
  expectKnown(words);
  const { without = [], ...flags } = parse(words);
  // An address that is `none` leaves its part out too.
  const none = { mqtt: flags['mqtt-url'] === 'none', wss: flags['ws-url'] === 'none' };
  const named = without.flatMap((list) => list.split(',')).map(readPart);
  return { ...flags, without: parts.filter((part) => named.includes(part) || none[part as keyof typeof none]) };
}

/** Node would repeat a word that may be a secret, and says of an unknown option only that it is unknown. */
function expectKnown(words: readonly string[]): void {
  const { tokens } = parseArgs({ args: [...words], options, strict: false, allowPositionals: true, tokens: true });
  for (const token of tokens) {
    if (token.kind === 'positional') throw new UsageError('takes options only, such as --local');
    if (token.kind !== 'option' || Object.hasOwn(options, token.name)) continue;
    if (/secret|key|token|password/.test(token.name)) {
      throw new UsageError(`--${token.name} is no option, since a secret is kept in the shell's history: see --help`);
    }
    throw new UsageError(`unknown option ${token.rawName}${didYouMean(token.rawName, names)}`);
  }
}

function parse(words: readonly string[]) {
  try {
    return parseArgs({ args: [...words], options }).values;
  } catch (error) {
    // Node adds advice after the first sentence.
    throw new UsageError(String(error instanceof Error ? error.message : error).split(/\. |\.?\n/)[0]);
  }
}

function readPart(word: string): Part {
  if (isPart(word)) return word;
  throw new UsageError(`--without takes some of ${parts.join(', ')}${didYouMean(word, parts)}`);
}
