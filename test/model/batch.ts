import { checkAll, type CheckResult } from './check-history';
import type { Operation } from './operations';
import { runOperation, transportOf, type Transport } from './run-operation';
import type { Session } from './session';
import { waitUntilSettled } from './settle-history';
import { HistoryRecorder } from './history-recorder';

export interface BatchResult extends CheckResult {
  readonly counts: ReadonlyMap<Transport, number>;
}

/** Disconnects all remaining followers; an MQTTS connection that the server closed is a violation. */
async function disconnectAll(recorder: HistoryRecorder, { connections }: Session): Promise<void> {
  const open = [
    ...recorder.followers.filter(({ left, closed }) => left === undefined && !closed),
    ...recorder.subscribers.filter(({ leavesAt, closed }) => leavesAt === undefined && !closed),
  ];
  await Promise.allSettled(open.map(({ leave }) => leave()));
  for (const [name, { closedAt }] of connections)
    if (closedAt !== undefined) recorder.addViolation(name, 'the server closed its MQTTS connection');
}

/**
 * Runs operations concurrently on jobs and shares of their own, waits until everything has settled, deletes all resources
 * and checks the recorded history.
 * @param concurrency number of concurrent operations
 */
export async function runBatch(
  session: Session,
  operations: readonly Operation[],
  concurrency: number,
): Promise<BatchResult> {
  const recorder = new HistoryRecorder(
    session.facts,
    session.organisations,
    session.callers,
    session.docks,
    session.air,
    session.counted,
  );
  const { connections, publishers } = session;
  const counts = new Map<Transport, number>();
  const waiting = operations.values();
  const runNext = async () => {
    for (const operation of waiting) {
      const transport = transportOf(operation);
      counts.set(transport, (counts.get(transport) ?? 0) + 1);
      await runOperation({ recorder, connections, publishers }, operation);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, runNext));
  const settledAt = await waitUntilSettled(recorder);
  await disconnectAll(recorder, session);
  return { ...checkAll(recorder, settledAt), counts };
}
