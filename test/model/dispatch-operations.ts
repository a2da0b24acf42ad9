import { randomUUID } from 'node:crypto';
import { type Caller, callChecked, expectStatus } from './caller';
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
  const reasons = details.map(({ message }) => message);
  const at = `${label} at ${start.toFixed(0)} → ${status}`;
  const dispatch = { label: at, start, end, deviceId: job?.deviceId, reasons };
  recorder.docks.dispatches.push(dispatch);
  if (job) recorder.docks.jobs.push({ jobId: job.jobId, dispatch });
}

/** Cancels a dispatched job: its device is free again. */
export async function cancelDispatched(recorder: HistoryRecorder, pick: number): Promise<void> {
  const { callers, jobs } = recorder.docks;
  const open = jobs.filter(({ dispatch }) => dispatch.cancelled === undefined);
  const [caller, job] = [callers[0], open[pick % Math.max(open.length, 1)]];
  if (!caller || !job) return;
  const start = performance.now();
  job.dispatch.cancelled = { start, end: Infinity };
  const label = `${caller.name} cancels a dispatched job`;
  const answer = await callChecked(recorder, caller, label, 'command:update', () =>
    caller.call('POST', `/v3/jobs/${job.jobId}/cancel`),
  );
  if (!answer) return;
  job.dispatch.cancelled = { start, end: answer.end };
  // After a minute nobody has queued it, and it has failed.
  expectStatus(recorder, label, answer, 200, 400);
}
