import { UsageError } from '../command-line/errors';
import type { Terminal } from '../command-line/terminal';
import { readCommandLine, help } from './command-line';
import { TIMEOUTS, type Timeouts, SmokeContext, type Step } from './smoke-context';
import { steps } from './steps';
import { readTarget, type Target } from './target';
import { TimedOut, MissingPrerequisite, reasonOf, Unexpected } from './errors';
import { HandshakeRefused } from '../client/websocket';

/** Tokens and share codes, recognised by their form. */
const secretPatterns = [/\beyJ[\w-]{8,}\.[\w.-]+/g, /\bshare-[0-9a-z]{8}-[0-9a-z]+/g];

/** Longest line in characters: an unexpected answer may be a whole page. */
const LINE_CHARACTERS = 400;

/** Prints a line per step and counts them. Redacts secrets, tokens and share codes. */
class Report {
  readonly #terminal: Terminal;
  readonly #secrets: readonly string[];
  readonly #startedAt = Date.now();
  #passed = 0;
  #failed = 0;
  #skipped = 0;

  /** @param secrets texts to redact in every line */
  constructor(terminal: Terminal, secrets: readonly string[]) {
    this.#terminal = terminal;
    // A shorter text is no secret, and may be part of an ordinary word.
    this.#secrets = secrets.filter(({ length }) => length >= 8);
  }

  passed(name: string, ms: number, note: string | undefined): void {
    this.#passed++;
    this.#line(`ok    ${name} ${Math.round(ms)} ms${note === undefined ? '' : ` (${note})`}`);
  }

  failed(name: string, why: string): void {
    this.#failed++;
    this.#line(`FAIL  ${name}: ${why}`);
  }

  skipped(name: string, why: string): void {
    this.#skipped++;
    this.#line(`skip  ${name}: ${why}`);
  }

  /** @returns whether no step failed */
  end(): boolean {
    const seconds = ((Date.now() - this.#startedAt) / 1000).toFixed(1);
    this.#line(`\n${this.#passed} ok, ${this.#failed} failed, ${this.#skipped} skipped in ${seconds} s`);
    return this.#failed === 0;
  }

  #line(text: string): void {
    const known = this.#secrets.reduce((line, secret) => line.replaceAll(secret, '…'), text);
    const clean = secretPatterns.reduce((line, form) => line.replaceAll(form, '…'), known);
    const short = clean.length > LINE_CHARACTERS ? `${clean.slice(0, LINE_CHARACTERS)}…` : clean;
    this.#terminal.print(`${short}\n`);
  }
}

/** Runs all steps in order, also after a failure, and then cleans up. */
async function runSteps(steps: readonly Step[], context: SmokeContext, report: Report): Promise<void> {
  for (const step of steps) {
    const skipReason = step.part && context.target.skipped.get(step.part);
    if (skipReason) report.skipped(step.name, skipReason);
    else if (context.signal.aborted) report.skipped(step.name, whyAborted(context.signal));
    else await runStep(step, context, report);
  }
  await cleanUp(context, report);
}

async function runStep({ name, run }: Step, context: SmokeContext, report: Report): Promise<void> {
  const startedAt = performance.now();
  try {
    const note = await run(context);
    report.passed(name, performance.now() - startedAt, note);
  } catch (error) {
    if (error instanceof MissingPrerequisite) report.skipped(name, error.message);
    else if (context.signal.aborted) report.failed(name, whyAborted(context.signal));
    else if (error instanceof Unexpected || error instanceof HandshakeRefused) report.failed(name, error.message);
    else report.failed(name, reasonOf(error));
  }
}

const whyAborted = ({ reason }: AbortSignal): string =>
  reason instanceof TimedOut ? 'the run has timed out' : String(reason);

async function cleanUp(context: SmokeContext, report: Report): Promise<void> {
  const startedAt = performance.now();
  const failures = await context.cleanUp.run(AbortSignal.timeout(context.timeouts.cleanUpMs));
  if (failures.length > 0) report.failed('clean-up', `not deleted, delete manually: ${failures.join('; ')}`);
  else report.passed('clean-up', performance.now() - startedAt, undefined);
}

/** How a run can be interrupted, and its timeouts. */
interface RunOptions {
  /** Aborts when the user interrupts the run. */
  readonly interrupted?: AbortSignal;
  readonly timeouts?: Timeouts;
}

/**
 * Runs the command line of `npm run smoke`.
 * @param args without the program's name
 * @returns exit code: 0 every step passed, 1 a step failed or there is no service, 2 invalid command line
 */
export async function run(
  args: readonly string[],
  terminal: Terminal,
  { interrupted, timeouts = TIMEOUTS }: RunOptions = {},
): Promise<number> {
  try {
    const flags = readCommandLine(args);
    if (flags.help) {
      terminal.print(help);
      return 0;
    }
    const target = readTarget(flags);
    terminal.print(`smoke test of ${target.baseUrl}\n\n`);
    const report = new Report(terminal, secretsOf(target));
    await runInTime(target, timeouts, interrupted, report);
    return report.end() ? 0 : 1;
  } catch (error) {
    terminal.printError(`smoke: ${error instanceof Error ? error.message : String(error)}\n`);
    return error instanceof UsageError ? 2 : 1;
  }
}

async function runInTime(
  target: Target,
  timeouts: Timeouts,
  interrupted: AbortSignal | undefined,
  report: Report,
): Promise<void> {
  const ending = new AbortController();
  const timer = setTimeout(() => ending.abort(new TimedOut()), timeouts.runMs);
  interrupted?.addEventListener('abort', () => ending.abort(interrupted.reason));
  const context = new SmokeContext(target, timeouts, ending.signal);
  try {
    await runSteps(steps, context, report);
  } finally {
    clearTimeout(timer);
    await context.rest.close();
  }
}

const secretsOf = ({ client, narrowClient }: Target) =>
  [client, narrowClient].flatMap((one) => (one ? [one.clientSecret, one.apiKey] : []));
