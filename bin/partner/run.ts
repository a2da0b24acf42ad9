import { type Report, runProgram } from '../program/run-program';
import type { Terminal } from '../command-line/terminal';
import { Session } from '../deployment/session';
import { helpFor, readCommandLine, type CommandName, type Flags, overview } from './command-line';

type Command = (flags: Flags, session: Session) => Promise<Report>;

/** Each command is loaded on demand: loading its AWS clients takes longer than running it. */
const commands: Readonly<Record<CommandName, Command>> = {
  onboard: async (...given) => (await import('./onboard')).onboard(...given),
  list: async (...given) => (await import('./list')).list(...given),
  suspend: async (...given) => (await import('./set-status')).setStatus(...given, 'suspended'),
  resume: async (...given) => (await import('./set-status')).setStatus(...given, 'active'),
  contain: async (...given) => (await import('./contain')).contain(...given),
  'rotate-secret': async (...given) => (await import('./rotate')).rotateSecret(...given),
  'rotate-key': async (...given) => (await import('./rotate')).rotateKey(...given),
  offboard: async (...given) => (await import('./offboard')).offboard(...given),
};

/**
 * Runs a command line of `npm run partner`.
 * @param args without the program's name
 * @returns exit code, as {@link runProgram} has it
 */
export const run = (args: readonly string[], terminal: Terminal): Promise<number> =>
  runProgram('partner', terminal, async () => {
    const read = readCommandLine(args);
    if ('help' in read) return { help: read.help ? helpFor(read.help) : overview };
    const session = new Session('partner', read.flags, terminal);
    try {
      return { report: await commands[read.command](read.flags, session), asJson: read.flags.json };
    } finally {
      session.endProgress();
    }
  });
