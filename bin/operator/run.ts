import type { Report } from '../command-line/report';
import { runProgram } from '../program/run-program';
import type { Terminal } from '../command-line/terminal';
import { Session } from '../deployment/session';
import { readCommandLine, type CommandName, type Flags } from './command-line';
import { helpFor, overview } from './help';
import { withLastErrors } from './last-errors';

type Command = (flags: Flags, session: Session) => Promise<Report>;

/** Each command is loaded on demand: loading its AWS clients takes longer than running it. */
const commands: Readonly<Record<CommandName, Command>> = {
  job: async (...given) => (await import('./show-job')).showJob(...given),
  share: async (...given) => (await import('./show-share')).showShare(...given),
  device: async (...given) => (await import('./show-device')).showDevice(...given),
  client: async (...given) => (await import('./show-client')).showClient(...given),
  'revoke-share': async (...given) => (await import('./revoke-share')).revoke(...given),
  limits: async (...given) => (await import('./limits')).limits(...given),
};

/** Those that change something; the others show what there is. */
const acting: readonly CommandName[] = ['revoke-share', 'limits'];

/**
 * Runs a command line of `npm run operator`.
 * @param args without the program's name
 * @returns exit code, as {@link runProgram} has it
 */
export const run = (args: readonly string[], terminal: Terminal): Promise<number> =>
  runProgram('operator', terminal, async () => {
    const read = readCommandLine(args);
    if ('help' in read) return { help: read.help ? helpFor(read.help) : overview };
    const session = new Session('operator', read.flags, terminal);
    try {
      const report = await commands[read.command](read.flags, session);
      if (acting.includes(read.command)) return { report, asJson: read.flags.json };
      session.progress('reading the logs');
      return { report: await withLastErrors(report, read.flags), asJson: read.flags.json };
    } finally {
      session.endProgress();
    }
  });
