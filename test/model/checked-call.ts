import type { Caller, TimedAnswer } from './caller';
import type { HistoryRecorder } from './history-recorder';

/** Makes a call and checks what holds for every answer: 403 without the scope, never 5xx. @returns undefined when that decided it */
export async function callChecked(
  recorder: HistoryRecorder,
  caller: Caller,
  label: string,
  scope: Parameters<Caller['hasScope']>[0],
  run: () => Promise<TimedAnswer>,
): Promise<TimedAnswer | undefined> {
  const answer = await run().catch((error: unknown) => {
    recorder.addViolation(label, `no answer: ${error instanceof Error ? error.message : String(error)}`);
  });
  if (!answer) return undefined;
  const { status, headers } = answer;
  if (status >= 500)
    recorder.addViolation(label, `${status}, request ${headers.get('x-request-id') ?? 'without an id'}`);
  else if (!caller.hasScope(scope)) {
    if (status !== 403) recorder.addViolation(label, `${status} without the scope ${scope}`);
  } else return answer;
  return undefined;
}

/** Expects one of these statuses, for calls that do not depend on a resource's state. */
export function expectStatus(
  recorder: HistoryRecorder,
  label: string,
  { status }: TimedAnswer,
  ...expected: readonly number[]
): void {
  if (!expected.includes(status)) recorder.addViolation(label, `${status} in place of ${expected.join(' or ')}`);
}
