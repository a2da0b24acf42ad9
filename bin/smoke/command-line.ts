import { didYouMean } from '../../contract/terms/did-you-mean';
import { readOptions, type OptionValues } from '../command-line/read-options';
import { UsageError } from '../command-line/usage-error';
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
