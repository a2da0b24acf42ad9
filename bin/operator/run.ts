import { type Report, runProgram } from '../program/run-program';
import type { Terminal } from '../command-line/terminal';
import { Session } from '../deployment/session';
import { readCommandLine, type CommandName, type Flags, helpFor, overview } from './command-line';
import { digestShareCode } from '../../data/shares/share-id';
import { SAMPLES_LEFT_OUT, SAMPLES_RECEIVED } from '../../domain/telemetry/receipt';
import { kindOf } from '../../domain/values/id';
import { reasonOf } from '../command-line/errors';
import { readLines } from '../trace/read-lines';
import { describeLines } from '../trace/way';
import { describePublished, leftOutIn, publishedIn } from './published';

type Command = (flags: Flags, session: Session) => Promise<Report>;

/** Each command is loaded on demand: loading its AWS clients takes longer than running it. */
const commands: Readonly<Record<CommandName, Command>> = {
  job: async (...given) => (await import('./show-job')).showJob(...given),
  share: async (...given) => (await import('./shares')).showShare(...given),
  device: async (...given) => (await import('./show-device')).showDevice(...given),
  client: async (...given) => (await import('./show-client')).showClient(...given),
  'revoke-share': async (...given) => (await import('./shares')).revoke(...given),
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
      return { report: await withLogs(read.command, report, read.flags), asJson: read.flags.json };
    } finally {
      session.endProgress();
    }
  });

const HOUR_MS = 60 * 60_000;
/** How many are shown. */
const MOST = 10;

/**
 * Adds to what is shown of a resource what the logs of the functions say of the last hour: the last errors about it, and
 * who publishes a device. When the logs can't be read, it says why instead.
 */
async function withLogs(command: CommandName, report: Report, flags: Flags, now = new Date()): Promise<Report> {
  const given = flags.id ?? '';
  const id = kindOf(given) === 'share' ? digestShareCode(given) : given;
  const isDevice = command === 'device';
  try {
    const samples = isDevice ? { with: SAMPLES_LEFT_OUT } : { leftOut: SAMPLES_RECEIVED };
    const lines = await readLines(flags, { id, since: new Date(now.getTime() - HOUR_MS), ...samples }, now);
    const [published, leftOut] = [publishedIn(lines), leftOutIn(lines)];
    const errors = lines.filter(({ level }) => level === 'ERROR').slice(-MOST);
    const listed = errors.length > 0 ? `:\n${describeLines(errors).join('\n')}` : ' of the last hour: none';
    return {
      ...report,
      json: { ...(report.json as object), ...(isDevice && { published, leftOut }), errors },
      text: [report.text, ...(isDevice ? [describePublished(published, leftOut)] : []), `Errors${listed}`].join('\n\n'),
    };
  } catch (error) {
    return { ...report, text: `${report.text}\n\nErrors: the logs can't be read: ${reasonOf(error)}` };
  }
}
