import type { Terminal } from '../command-line/terminal';
import { UsageError } from '../command-line/usage-error';
import { helpFor } from './command-help';
import { readCommandLine, type CommandName, type Flags } from './command-line';
import { overview } from './help';
import { reasonOf } from './reason';
import type { Report } from './report';
import { Session } from './session';

type Command = (flags: Flags, session: Session) => Promise<Report>;

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

/**
 * Runs a command line. Standard output is the result only; steps, warnings and errors are on standard error.
 * @param args without the program's name
 * @returns exit code: 0 done, 1 failed, 2 invalid command line
 */
export async function run(args: readonly string[], terminal: Terminal): Promise<number> {
  try {
    const read = readCommandLine(args);
    if ('help' in read) {
      terminal.print(read.help ? helpFor(read.help) : overview);
      return 0;
    }
    const { json, text } = await runCommand(read.command, read.flags, terminal);
    terminal.print(`${read.flags.json ? JSON.stringify(json) : text}\n`);
    return 0;
  } catch (error) {
    terminal.printError(`partner: ${reasonOf(error)}\n`);
    return error instanceof UsageError ? 2 : 1;
  }
}

async function runCommand(command: CommandName, flags: Flags, terminal: Terminal): Promise<Report> {
  const session = new Session(flags, terminal);
  try {
    return await commands[command](flags, session);
  } finally {
    session.endProgress();
  }
}
