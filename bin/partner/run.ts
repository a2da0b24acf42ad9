import { UsageError } from '../command-line/usage-error';
import { readCommandLine, type CommandName, type Flags } from './command-line';
import { findDeployment, type Deployment } from './deployment';
import { help } from './help';
import { reasonOf } from './reason';
import type { Report } from './report';

type Command = (flags: Flags, connect: () => Promise<Deployment>) => Promise<Report>;

/** Each command is loaded on demand: loading its AWS clients takes longer than running it. */
const commands: Readonly<Record<CommandName, Command>> = {
  onboard: async (...given) => (await import('./onboard')).onboard(...given),
  list: async (...given) => (await import('./list')).list(...given),
  suspend: async (...given) => (await import('./set-status')).setStatus(...given, 'suspended'),
  resume: async (...given) => (await import('./set-status')).setStatus(...given, 'active'),
  'rotate-secret': async (...given) => (await import('./rotate-secret')).rotateSecret(...given),
  'rotate-key': async (...given) => (await import('./rotate-key')).rotateKey(...given),
  offboard: async (...given) => (await import('./offboard')).offboard(...given),
};

/** Output streams of a command. */
export interface Terminal {
  print(text: string): void;
  printError(text: string): void;
}

/**
 * Runs a command line.
 * @param args without the program's name
 * @returns exit code: 0 done, 1 failed, 2 invalid command line
 */
export async function run(args: readonly string[], terminal: Terminal): Promise<number> {
  try {
    const read = readCommandLine(args);
    if (!read) {
      terminal.print(help);
      return 0;
    }
    const { command, flags } = read;
    const { json, text } = await commands[command](flags, () => findDeployment(flags));
    terminal.print(`${flags.json ? JSON.stringify(json) : text}\n`);
    return 0;
  } catch (error) {
    terminal.printError(`partner: ${reasonOf(error)}\n`);
    return error instanceof UsageError ? 2 : 1;
  }
}
