import { UsageError } from '../partner/command-line';
import type { Terminal } from '../partner/run';
import { readCommandLine } from './command-line';
import { help } from './help';
import { PATIENCE, type Patience } from './patience';
import { Report } from './report';
import { steps } from './steps';
import { Story } from './story';
import { readTarget, type Target } from './target';
import { tell } from './tell';
import { TookTooLong } from './unexpected';

/** How a run is told to end early, and how long it waits. */
interface Circumstances {
  /** Aborts when somebody interrupts the run. */
  readonly interrupted?: AbortSignal;
  readonly patience?: Patience;
}

/**
 * Runs the command line of `npm run smoke`.
 * @param words without the program's name
 * @returns exit code: 0 every step held, 1 one did not or there is no service, 2 the command line makes no sense
 */
export async function run(
  words: readonly string[],
  terminal: Terminal,
  { interrupted, patience = PATIENCE }: Circumstances = {},
): Promise<number> {
  try {
    const flags = readCommandLine(words);
    if (flags.help) {
      terminal.print(help);
      return 0;
    }
    const target = readTarget(flags);
    terminal.print(`smoke test of ${target.baseUrl}\n\n`);
    const report = new Report(terminal, secretsOf(target));
    await tellInTime(target, patience, interrupted, report);
    return report.end() ? 0 : 1;
  } catch (error) {
    terminal.complain(`smoke: ${error instanceof Error ? error.message : String(error)}\n`);
    return error instanceof UsageError ? 2 : 1;
  }
}

async function tellInTime(
  target: Target,
  patience: Patience,
  interrupted: AbortSignal | undefined,
  report: Report,
): Promise<void> {
  const ending = new AbortController();
  const timer = setTimeout(() => ending.abort(new TookTooLong()), patience.storyMs);
  interrupted?.addEventListener('abort', () => ending.abort(interrupted.reason));
  const story = new Story(target, patience, ending.signal);
  try {
    await tell(steps, story, report);
  } finally {
    clearTimeout(timer);
    await story.rest.close();
  }
}

const secretsOf = ({ client, narrowClient }: Target) =>
  [client, narrowClient].flatMap((one) => (one ? [one.clientSecret, one.apiKey] : []));
