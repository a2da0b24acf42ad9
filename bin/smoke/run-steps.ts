import { HandshakeRefused } from '../client/websocket';
import type { Report } from './report';
import type { Step } from './step';
import type { SmokeContext } from './smoke-context';
import { MissingPrerequisite, reasonOf, TimedOut, Unexpected } from './errors';

/** Runs all steps in order, also after a failure, and then cleans up. */
export async function runSteps(steps: readonly Step[], context: SmokeContext, report: Report): Promise<void> {
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
