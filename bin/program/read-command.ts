import type { ParseArgsOptionsConfig } from 'node:util';
import { didYouMean } from '../../contract/terms/did-you-mean';
import { readOptionsAndWords, type OptionValues } from '../command-line/read-options';
import { UsageError } from '../command-line/errors';

/** The commands of a program. */
export interface CommandTable<Options extends ParseArgsOptionsConfig, Name extends string> {
  /** All options, in the form of `parseArgs` of `node:util`. */
  readonly options: Options;
  /** The options of each command. */
  readonly flags: Readonly<Record<Name, readonly string[]>>;
  /** Those of every command. */
  readonly commonFlags: readonly string[];
  /** The option of a command that may be given as a word of its own, without its name. */
  readonly word?: Readonly<Partial<Record<Name, string>>>;
}

/** What a command line asks for: a command, or help, of one command or of all. */
export type CommandLine<Options extends ParseArgsOptionsConfig, Name extends string> =
  | { readonly command: Name; readonly flags: OptionValues<Options> }
  | { readonly help: Name | undefined };

/**
 * Reads a command and its flags.
 * @throws UsageError for an unknown command or flag; no value is repeated, since it may be a secret
 */
export function readCommand<Options extends ParseArgsOptionsConfig, Name extends string>(
  args: readonly string[],
  { options, flags: flagsOf, commonFlags, word: wordOf }: CommandTable<Options, Name>,
): CommandLine<Options, Name> {
  const read = readOptionsAndWords(args, options);
  const flags = read.values as Readonly<Record<string, unknown>>;
  const asksForHelp = read.words[0] === 'help';
  const [first, ...words] = asksForHelp ? read.words.slice(1) : read.words;
  const names = Object.keys(flagsOf) as Name[];
  const known = `known are ${names.join(', ')}; --help describes them`;
  const command = names.find((name) => name === first);
  if (first !== undefined && command === undefined)
    throw new UsageError(`unknown command${didYouMean(first, names) || `; ${known}`}`);
  if (asksForHelp || flags['help']) return { help: command };
  if (command === undefined) throw new UsageError(`missing command; ${known}`);
  const accepted = [...flagsOf[command], ...commonFlags];
  const unexpected = Object.keys(flags).find((flag) => !accepted.includes(flag));
  const given = { ...flags, ...valueOfWord(command, wordOf?.[command], words, flags, accepted) };
  if (unexpected !== undefined)
    throw new UsageError(`${command} does not take --${unexpected}; it takes --${accepted.join(', --')}`);
  return { command, flags: given as OptionValues<Options> };
}

/** The value of the option that may be given as a word. @throws UsageError for more words than that */
function valueOfWord(
  command: string,
  option: string | undefined,
  [value, ...more]: readonly string[],
  flags: Readonly<Record<string, unknown>>,
  accepted: readonly string[],
): Readonly<Record<string, string>> {
  if (value === undefined) return {};
  if (option === undefined)
    throw new UsageError(`${command} takes options only, such as --${accepted[0]}; put a value with spaces in quotes`);
  if (more.length > 0 || flags[option] !== undefined) throw new UsageError(`${command} takes one ${option} only`);
  return { [option]: value };
}

/** Options of every command of operators, for its help. */
export const commonOptions = `  --local                   the stack that \`npm start\` runs here
  --stack NAME              a CloudFormation stack in AWS
                            (default: $STACK_NAME, else DroneMissionApi)
  --json                    for scripts: the result as JSON
`;
