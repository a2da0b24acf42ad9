import { parseArgs } from 'node:util';
import { didYouMean } from '../../lib/did-you-mean';
import { UsageError } from '../partner/command-line';
import { isPart, parts, type Part } from './parts';

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
export type Flags = Omit<ReturnType<typeof parseArgs<{ options: typeof options }>>['values'], 'without'> & {
  readonly without: readonly Part[];
};

const names = Object.keys(options).map((name) => `--${name}`);

/**
 * Reads the command line.
 * @throws UsageError that names the wrong option and the closest known one
 */
export function readCommandLine(args: readonly string[]): Flags {
  expectKnown(args);
  const { without = [], ...flags } = parse(args);
  // An address of `none` skips its part too.
  const none = { mqtt: flags['mqtt-url'] === 'none', wss: flags['ws-url'] === 'none' };
  const named = without.flatMap((list) => list.split(',')).map(readPart);
  return { ...flags, without: parts.filter((part) => named.includes(part) || none[part as keyof typeof none]) };
}

/** Node's own error would repeat a word that may be a secret, and suggests no similar option. */
function expectKnown(args: readonly string[]): void {
  const { tokens } = parseArgs({ args: [...args], options, strict: false, allowPositionals: true, tokens: true });
  for (const token of tokens) {
    if (token.kind === 'positional') throw new UsageError('takes options only, such as --local');
    if (token.kind !== 'option' || Object.hasOwn(options, token.name)) continue;
    if (/secret|key|token|password/.test(token.name)) {
      throw new UsageError(`--${token.name} is no option, since a secret is kept in the shell's history: see --help`);
    }
    throw new UsageError(`unknown option ${token.rawName}${didYouMean(token.rawName, names)}`);
  }
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options }).values;
  } catch (error) {
    // Node adds advice after the first sentence.
    throw new UsageError(String(error instanceof Error ? error.message : error).split(/\. |\.?\n/)[0]);
  }
}

function readPart(word: string): Part {
  if (isPart(word)) return word;
  throw new UsageError(`--without takes some of ${parts.join(', ')}${didYouMean(word, parts)}`);
}
