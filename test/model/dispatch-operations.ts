import { randomUUID } from 'node:crypto';
import { callChecked, expectStatus } from './checked-call';
import type { Caller } from './caller';
import type { HistoryRecorder } from './history-recorder';

const place = { type: 'Point', coordinates: [8.5417, 47.3769] };

/** Dispatches of clients of the docks at the same time: each wants the nearest of the same devices. */
export async function dispatchJobs(recorder: HistoryRecorder, atOnce: number): Promise<void> {
  const { callers } = recorder.docks;
  await Promise.all(
    Array.from({ length: atOnce }, async (_, index) => {
      const caller = callers[index % callers.length];
      if (caller) await dispatchJob(recorder, caller);
    }),
  );
}

async function dispatchJob(recorder: HistoryRecorder, caller: Caller): Promise<void> {
  const label = `${caller.name} dispatches`;
  const answer = await callChecked(recorder, caller, label, 'command:create', () =>
    caller.call('POST', '/v3/jobs/dispatch', {
      body: { name: 'Alarm', desiredLocation: place },
      headers: { 'idempotency-key': randomUUID() },
    }),
  );
  if (!answer) return;
  const count = caller.countOf('POST /v3/jobs/dispatch', answer);
  if (count) recorder.counted.push(count);
  else recorder.addViolation(label, 'no rate-limit headers');
  const { status, body, start, end } = answer;
  if (status === 429) return;
  expectStatus(recorder, label, answer, 201, 409);
  const { job, details = [] } = body as {
    readonly job?: { readonly jobId: string; readonly deviceId: string };
    readonly details?: readonly { readonly message: string }[];
  };
  if (job) recorder.docks.jobs.push({ jobId: job.jobId, isCancelled: false });
  const reasons = details.map(({ message }) => message);
  const at = `${label} at ${start.toFixed(0)} → ${status}`;
  recorder.docks.dispatches.push({ label: at, start, end, deviceId: job?.deviceId, reasons });
}

/** Cancels a dispatched job: its device stays claimed. */
export async function cancelDispatched(recorder: HistoryRecorder, pick: number): Promise<void> {
  const { callers, jobs } = recorder.docks;
  const open = jobs.filter(({ isCancelled }) => !isCancelled);
  const [caller, job] = [callers[0], open[pick % Math.max(open.length, 1)]];
  if (!caller || !job) return;
  job.isCancelled = true;
  const label = `${caller.name} cancels a dispatched job`;
  const answer = await callChecked(recorder, caller, label, 'command:update', () =>
    caller.call('POST', `/v3/jobs/${job.jobId}/cancel`),
  );
  // After a minute nobody has queued it, and it has failed.
  if (answer) expectStatus(recorder, label, answer, 200, 400);
}
