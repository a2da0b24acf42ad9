import { readCommandLine, UsageError, type CommandName, type Flags } from './command-line';
import { findDeployment, type Deployment } from './deployment';
import { help } from './help';
import { reasonOf } from './reason';
import type { Report } from './report';

type Command = (flags: Flags, connect: () => Promise<Deployment>) => Promise<Report>;

/** Each is loaded when it is asked for: with it come the AWS clients, which take longer to load than to answer. */
const commands: Readonly<Record<CommandName, Command>> = {
  onboard: async (...given) => (await import('./onboard')).onboard(...given),
  list: async (...given) => (await import('./list')).list(...given),
  suspend: async (...given) => (await import('./set-status')).setStatus(...given, 'suspended'),
  resume: async (...given) => (await import('./set-status')).setStatus(...given, 'active'),
  'rotate-secret': async (...given) => (await import('./rotate-secret')).rotateSecret(...given),
  'rotate-key': async (...given) => (await import('./rotate-key')).rotateKey(...given),
  offboard: async (...given) => (await import('./offboard')).offboard(...given),
};

/** Where a command writes: what it answers, and why it can't. */
export interface Terminal {
  print(text: string): void;
  complain(text: string): void;
}

/**
 * Runs a command line.
 * @param words without the program's name
 * @returns exit code: 0 done, 1 it can't be done, 2 it makes no sense
 */
export async function run(words: readonly string[], terminal: Terminal): Promise<number> {
  try {
    const read = readCommandLine(words);
    if (!read) {
      terminal.print(help);
      return 0;
    }
    const { command, flags } = read;
    const { json, text } = await commands[command](flags, () => findDeployment(flags));
    terminal.print(`${flags.json ? JSON.stringify(json) : text}\n`);
    return 0;
  } catch (error) {
    terminal.complain(`partner: ${reasonOf(error)}\n`);
    return error instanceof UsageError ? 2 : 1;
  }
}
