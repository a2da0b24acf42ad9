import { parseArgs, type ParseArgsOptionsConfig } from 'node:util';
import { didYouMean } from '../../contract/terms/did-you-mean';
import { UsageError } from './errors';

/** Values of options by name, as `parseArgs` of `node:util` returns them. */
export type OptionValues<Options extends ParseArgsOptionsConfig> = ReturnType<
  typeof parseArgs<{ options: Options }>
>['values'];

/**
 * Reads a command line of options only.
 * @param args without the program's name
 * @param options in the form of `parseArgs` of `node:util`
 * @throws UsageError of one line that names the wrong option and the nearest right one, and repeats no value: it may be a secret
 */
export function readOptions<Options extends ParseArgsOptionsConfig>(
  args: readonly string[],
  options: Options,
): OptionValues<Options> {
  const { values, words } = readOptionsAndWords(args, options);
  if (words.length > 0) throw new UsageError(`takes options only, such as --${Object.keys(options)[0] ?? 'help'}`);
  return values;
}

/**
 * Reads a command line of options and other words, such as the name of a command, in the same way.
 * @returns values of options, and the other words in their order
 */
export function readOptionsAndWords<Options extends ParseArgsOptionsConfig>(
  args: readonly string[],
  options: Options,
): { readonly values: OptionValues<Options>; readonly words: readonly string[] } {
  expectKnown(args, options);
  try {
    const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true });
    return { values, words: positionals };
  } catch (error) {
    // Node adds advice after the first sentence.
    throw new UsageError((error as Error).message.split(/\. |\.?\n/)[0]);
  }
}

/** Node's own error would repeat a word that may be a secret, and suggests no similar option. */
function expectKnown(args: readonly string[], options: ParseArgsOptionsConfig): void {
  const names = Object.keys(options).map((name) => `--${name}`);
  const { tokens } = parseArgs({ args: [...args], options, strict: false, allowPositionals: true, tokens: true });
  for (const token of tokens) {
    if (token.kind !== 'option' || Object.hasOwn(options, token.name)) continue;
    if (/secret|key|token|password/.test(token.name)) {
      throw new UsageError(`--${token.name} is no option, since a secret is kept in the shell's history: see --help`);
    }
    throw new UsageError(`unknown option ${token.rawName}${didYouMean(token.rawName, names) || '; see --help'}`);
  }
}
