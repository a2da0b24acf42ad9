import { digestShareCode } from '../../data/shares/share-id';
import { madeAt } from '../../data/store/new-id';
import { SAMPLES_RECEIVED } from '../../domain/telemetry/receipt';
import { kindOf } from '../../domain/values/id';
import { readOptionsAndWords } from '../command-line/read-options';
import type { Terminal } from '../command-line/terminal';
import { UsageError, reasonOf } from '../command-line/errors';
import { readLines } from './read-lines';
import { describeLines, whereItStopped } from './way';

const help = `Prints the way of a job through the service, from the logs of its functions: who changed it, when each function saw it, and
where it stopped. The same for a device, a share (its code or its digest), an event or a request.

npm run --silent trace -- ID [options]

  --since TIME   ISO 8601; default: when the job was created, or a day ago
  --stack NAME   default: $STACK_NAME, else DroneMissionApi
  --local        the stack on this machine
`;

const options = {
  since: { type: 'string' },
  stack: { type: 'string' },
  local: { type: 'boolean' },
  help: { type: 'boolean' },
} as const;

const DAY_MS = 24 * 60 * 60_000;
/** What identifiers consist of: anything else could change the query. */
const identifier = /^[\w./-]{8,128}$/;

/**
 * Runs a command line.
 * @param args without the program's name
 * @returns exit code: 0 done, 1 failed, 2 invalid command line
 */
export async function run(args: readonly string[], terminal: Terminal, now = new Date()): Promise<number> {
  try {
    const { values, words } = readOptionsAndWords(args, options);
    const [given, ...more] = words;
    if (values.help || given === 'help') {
      terminal.print(help);
      return 0;
    }
    if (given === undefined || more.length > 0 || !identifier.test(given)) throw new UsageError('give one identifier');
    const id = kindOf(given) === 'share' ? digestShareCode(given) : given;
    const since = sinceOf(values.since, id, now);
    const lines = await readLines(values, { id, since, leftOut: SAMPLES_RECEIVED }, now);
    if (lines.length > 0) terminal.print(`${describeLines(lines).join('\n')}\n\n`);
    if (kindOf(id) === 'job' || lines.length === 0) terminal.print(`${whereItStopped(lines)}\n`);
    return lines.length > 0 ? 0 : 1;
  } catch (error) {
    terminal.printError(`trace: ${reasonOf(error)}\n`);
    return error instanceof UsageError ? 2 : 1;
  }
}

/** Since when lines are read: a job's identifier has the time of its creation. */
function sinceOf(given: string | undefined, id: string, now: Date): Date {
  if (given === undefined) return kindOf(id) === 'job' ? madeAt(id) : new Date(now.getTime() - DAY_MS);
  const since = new Date(given);
  if (Number.isNaN(since.getTime())) throw new UsageError('--since takes a time such as 2026-11-27T10:00:00Z');
  return since;
}
