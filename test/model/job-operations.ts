import { randomUUID } from 'node:crypto';
import { type Caller, type TimedAnswer, callChecked, expectStatus } from './caller';
import { createWithKey, cancelJob, deleteJob, getJob, patchJob, type JobFields } from './job-model';
import type { Operation } from './operations';
import { unknownId, type JobRecord, type HistoryRecorder } from './history-recorder';

type Input<Name extends Operation['name']> = Extract<Operation, { name: Name }>['input'];

const jobKeys = (recorder: HistoryRecorder, caller: Caller, key: number) => {
  const name = `${caller.name} job ${key}`;
  const known = recorder.keys.get(name) ?? { uuid: randomUUID(), steps: [] };
  recorder.keys.set(name, known);
  return known;
};

export async function createJob(recorder: HistoryRecorder, caller: Caller, input: Input<'create job'>): Promise<void> {
  const { whose, device, key, ...fields } = input;
  const { organisation } = caller;
  const otherOrganisation = recorder.organisations.find((other) => other !== organisation) ?? organisation;
  const group = organisation.groups[0];
  const groups = { own: group?.deviceGroupId, foreign: otherOrganisation.groups[0]?.deviceGroupId, unknown: undefined };
  const body = {
    ...fields,
    deviceGroupId: groups[whose] ?? unknownId('group', organisation),
    ...(device && whose === 'own' && { deviceId: group?.devices[0]?.deviceId }),
  };
  const recorded = key === null || whose !== 'own' ? undefined : jobKeys(recorder, caller, key);
  const label = `${caller.name} creates a job${recorded ? ` with key ${key}` : ''}`;
  const headers = recorded ? { 'idempotency-key': recorded.uuid } : {};
  const answer = await callChecked(recorder, caller, label, 'command:create', () =>
    caller.call('POST', '/v3/jobs/create', { body, headers }),
  );
  if (!answer) return;
  const count = caller.countOf('POST /v3/jobs/create', answer);
  if (count) recorder.counted.push(count);
  else recorder.addViolation(label, 'no rate-limit headers');
  const { start, end, status } = answer;
  if (status === 429) return;
  if (whose !== 'own') {
    expectStatus(recorder, label, answer, whose === 'foreign' ? 403 : 404);
    return;
  }
  const asked = JSON.stringify(body);
  const answered = status === 201 ? JSON.stringify(answer.body) : undefined;
  recorded?.steps.push(createWithKey({ start, end, label: `${label} → ${status}` }, asked, answered));
  if (status !== 201) {
    expectStatus(recorder, label, answer, ...(recorded ? [400] : [201]));
    return;
  }
  recordJob(recorder, caller, { body, answer, label, isRepeatable: recorded !== undefined });
}

interface Creation {
  readonly body: JobFields & Readonly<Record<string, unknown>>;
  readonly answer: TimedAnswer;
  readonly label: string;
  readonly isRepeatable: boolean;
}

/** Checks the answer to a creation and records the job. */
function recordJob(recorder: HistoryRecorder, caller: Caller, { body, answer, label, isRepeatable }: Creation): void {
  const { start, end } = answer;
  const { name, description, metadata, priority = 5, ...fixed } = body;
  const job = answer.body['job'] as Readonly<Record<string, unknown>>;
  const id = String(job['jobId']);
  const known = recorder.jobs.get(id);
  if (known && !isRepeatable) recorder.addViolation(label, `${known.name} was created twice`);
  if (known) {
    Object.assign(known.created, {
      start: Math.min(known.created.start, start),
      end: Math.min(known.created.end, end),
    });
    return;
  }
  const isShown = job['name'] === name && job['status'] === 'PENDING' && job['priority'] === priority;
  if (!isShown || !id.startsWith(`job-${caller.organisation.tag}-`))
    recorder.addViolation(label, 'not the requested job');
  recorder.jobs.set(id, {
    id,
    name: `job ${recorder.jobs.size + 1} of ${caller.organisation.name}`,
    organisation: caller.organisation,
    created: { start, end, label: `${label} → 201` },
    request: { name, description, metadata, priority },
    fixed: { jobId: id, createdAt: job['createdAt'], links: job['links'], ...fixed },
    steps: [],
    reports: [],
    statuses: { attempts: [], seen: [] },
    latestVersion: 1,
  });
}

const pathOf = (job: JobRecord | undefined, caller: Caller) =>
  `/v3/jobs/${job?.id ?? unknownId('job', caller.organisation)}`;

/** Unknown jobs must be answered with 404; other answers are recorded for the check. */
function recordAnswer(recorder: HistoryRecorder, job: JobRecord | undefined, label: string, answer: TimedAnswer) {
  if (!job) expectStatus(recorder, label, answer, 404);
  return (
    job && { steps: job.steps, window: { start: answer.start, end: answer.end, label: `${label} → ${answer.status}` } }
  );
}

/** Notes the status that an answer shows, and when it had it at the latest. */
function noteStatus(job: JobRecord | undefined, answer: TimedAnswer): void {
  const { status } = (answer.body['job'] ?? {}) as { readonly status?: string };
  if (status !== undefined) job?.statuses.seen.push({ status, by: Date.now() });
}

const isForeign = (job: JobRecord, caller: Caller) => job.organisation !== caller.organisation;

export async function readJob(
  recorder: HistoryRecorder,
  caller: Caller,
  job: JobRecord | undefined,
): Promise<TimedAnswer | undefined> {
  const label = `${caller.name} reads`;
  const answer = await callChecked(recorder, caller, label, 'command:read', () =>
    caller.call('GET', pathOf(job, caller)),
  );
  if (answer) noteStatus(job, answer);
  const recorded = answer && recordAnswer(recorder, job, `${label}${answer.etag ? ` ${answer.etag}` : ''}`, answer);
  if (recorded && job) recorded.steps.push(getJob(recorded.window, answer, isForeign(job, caller), job.fixed));
  return answer;
}

export async function patch(recorder: HistoryRecorder, caller: Caller, input: Input<'patch job'>): Promise<void> {
  const { target, change, ifMatch } = input;
  const job = recorder.jobFor(caller, target);
  const seen = job?.latestVersion ?? 1;
  const version = { none: undefined, any: undefined, seen, older: seen - 1 }[ifMatch];
  const header = ifMatch === 'any' ? '*' : version === undefined ? undefined : `"${version}"`;
  const asked = `${Object.keys(change).join(', ')}${change.status ? ` → ${change.status}` : ''}`;
  const label = `${caller.name} changes {${asked}}${header ? ` if ${header}` : ''}`;
  if (change.status !== undefined) job?.statuses.attempts.push({ status: change.status, at: Date.now() });
  const answer = await callChecked(recorder, caller, label, 'command:update', () =>
    caller.call('PATCH', pathOf(job, caller), { body: change, headers: header ? { 'if-match': header } : {} }),
  );
  if (!answer) return;
  noteStatus(job, answer);
  const recorded = recordAnswer(recorder, job, `${label}${answer.etag ? ` ${answer.etag}` : ''}`, answer);
  if (!recorded || !job) return;
  recorded.steps.push(patchJob(recorded.window, answer, isForeign(job, caller), change, version));
  const shown = Number((answer.body['job'] as Record<string, unknown> | undefined)?.['version'] ?? 0);
  job.latestVersion = Math.max(job.latestVersion, shown);
}

export async function cancel(recorder: HistoryRecorder, caller: Caller, job: JobRecord | undefined): Promise<void> {
  const label = `${caller.name} cancels`;
  job?.statuses.attempts.push({ status: 'CANCELLED', at: Date.now() });
  const answer = await callChecked(recorder, caller, label, 'command:update', () =>
    caller.call('POST', `${pathOf(job, caller)}/cancel`),
  );
  const recorded = answer && recordAnswer(recorder, job, label, answer);
  if (recorded && job) recorded.steps.push(cancelJob(recorded.window, answer, isForeign(job, caller)));
}

export async function remove(recorder: HistoryRecorder, caller: Caller, job: JobRecord | undefined): Promise<void> {
  const label = `${caller.name} deletes`;
  const answer = await callChecked(recorder, caller, label, 'command:update', () =>
    caller.call('DELETE', pathOf(job, caller)),
  );
  const recorded = answer && recordAnswer(recorder, job, label, answer);
  if (!recorded || !job) return;
  recorded.steps.push(deleteJob(recorded.window, answer, isForeign(job, caller)));
  if (answer.status === 200) job.deleted = answer.start;
}

/** An unknown field is refused and changes nothing (design, section 3: bodies are strict). */
export async function patchUnknownField(
  recorder: HistoryRecorder,
  caller: Caller,
  job: JobRecord | undefined,
): Promise<void> {
  const label = `${caller.name} misspells`;
  const body = { nmae: 'x', status: 'CANCELLED' };
  const answer = await callChecked(recorder, caller, label, 'command:update', () =>
    caller.call('PATCH', pathOf(job, caller), { body }),
  );
  if (answer) expectStatus(recorder, label, answer, 400);
}

export async function listJobs(recorder: HistoryRecorder, caller: Caller, input: Input<'list jobs'>): Promise<void> {
  const { limit, status } = input;
  const query = new URLSearchParams({
    ...(limit !== null && { limit: String(limit) }),
    ...(status !== null && { status }),
  });
  const label = `${caller.name} lists jobs ${query.toString()}`;
  const answer = await callChecked(recorder, caller, label, 'command:read', () =>
    caller.call('GET', `/v3/jobs?${query.toString()}`),
  );
  if (!answer) return;
  expectStatus(recorder, label, answer, 200);
  const items = (answer.body['jobs'] ?? []) as Readonly<Record<string, unknown>>[];
  const { start, end, body } = answer;
  if (status !== null && items.some((item) => item['status'] !== status))
    recorder.addViolation(label, 'another status');
  if (body['count'] !== items.length || items.length > (limit ?? 50))
    recorder.addViolation(label, 'a wrong count of jobs');
  const page = { isFiltered: status !== null, isLastPage: body['nextToken'] === undefined, items };
  recorder.listings.push({ of: 'jobs', organisation: caller.organisation, label, start, end, ...page });
}

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
