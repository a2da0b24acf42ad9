import { HandshakeRefused } from '../client/socket';
import type { Report } from './report';
import type { Step } from './step';
import type { Story } from './story';
import { Missing, reasonOf, TookTooLong, Unexpected } from './unexpected';

/** Takes the steps in their order, each whatever became of those before it, and then takes back what they have made. */
export async function tell(steps: readonly Step[], story: Story, report: Report): Promise<void> {
  for (const step of steps) {
    const leftOut = step.part && story.target.leftOut.get(step.part);
    if (leftOut) report.skipped(step.name, leftOut);
    else if (story.signal.aborted) report.skipped(step.name, whyAborted(story.signal));
    else await take(step, story, report);
  }
  await takeBack(story, report);
}

async function take({ name, run }: Step, story: Story, report: Report): Promise<void> {
  const began = performance.now();
  try {
    const note = await run(story);
    report.held(name, performance.now() - began, note);
  } catch (error) {
    if (error instanceof Missing) report.skipped(name, error.message);
    else if (story.signal.aborted) report.failed(name, whyAborted(story.signal));
    else if (error instanceof Unexpected || error instanceof HandshakeRefused) report.failed(name, error.message);
    else report.failed(name, reasonOf(error));
  }
}

const whyAborted = ({ reason }: AbortSignal): string =>
  reason instanceof TookTooLong ? 'the time for the story is over' : String(reason);

async function takeBack(story: Story, report: Report): Promise<void> {
  const began = performance.now();
  const failures = await story.cleanUp.all(AbortSignal.timeout(story.patience.cleanUpMs));
  if (failures.length > 0) report.failed('clean-up', `left behind, delete by hand: ${failures.join('; ')}`);
  else report.held('clean-up', performance.now() - began, undefined);
}
