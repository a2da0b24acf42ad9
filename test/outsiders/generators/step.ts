import { readFileSync } from 'node:fs';
import { runCommand, type CommandAnswer, type CommandOptions } from '../processes';

/** A generator refuses the document, or a compiler refuses what it made. */
export class GenerationFailed extends Error {
  override readonly name = 'GenerationFailed';
}

/** Runs a generator or compiler. @throws {GenerationFailed} with its output when it refuses */
export async function step(command: string, args: readonly string[], options: CommandOptions): Promise<CommandAnswer> {
  try {
    return await runCommand(command, args, options);
  } catch (error) {
    throw new GenerationFailed(error instanceof Error ? error.message : String(error), { cause: error });
  }
}

/** Number of lines of a file. */
export const lineCount = (file: string): number => readFileSync(file, 'utf8').trimEnd().split('\n').length;
