import { isDeepStrictEqual } from 'node:util';
import type { Model, Step } from './explain';

/** The lifecycle as the specification (section 3) and the design (section 3) have it, written down a second time. */
const moves: Readonly<Record<string, readonly string[]>> = {
  PENDING: ['QUEUED', 'CANCELLED', 'FAILED'],
  QUEUED: ['IN_PROGRESS', 'CANCELLED', 'FAILED'],
  IN_PROGRESS: ['COMPLETED', 'FAILED'],
  COMPLETED: [],
  FAILED: [],
  CANCELLED: [],
};

export const isMove = (from: string, to: string): boolean => moves[from]?.includes(to) ?? false;

/** Whether moves lead from one status to the other, by way of others. */
const isFurther = (from: string, to: string): boolean =>
  (moves[from] ?? []).some((next) => next === to || isFurther(next, to));

/** What a job is said to hold; fields that it does not have are undefined. */
export interface JobFields {
  readonly name?: string | undefined;
  readonly description?: string | undefined;
  readonly priority?: number | undefined;
  readonly metadata?: unknown;
  readonly status?: string | undefined;
}

/** A job as the model has it; `there` is false before it is created, and `gone` true once it is deleted. */
export interface JobState extends JobFields {
  readonly there: boolean;
  readonly gone: boolean;
  readonly status: string;
  /** The status before the last move. */
  readonly previous?: string | undefined;
  readonly version: number;
  /** Statuses that the platform has reported too early: the reports come again. */
  readonly early: readonly string[];
}

/** What never changes of a job: as it was asked for, and the answer to its creation. */
export type FixedFields = Readonly<Record<string, unknown>>;

type Window = Pick<Step<JobState>, 'start' | 'end' | 'label'>;

/** An answer over REST as far as it is judged. */
export interface Answered {
  readonly status: number;
  readonly etag: string | undefined;
  readonly body: Readonly<Record<string, unknown>>;
}

export const jobModel = (created: JobFields): Model<JobState> => ({
  initial: { ...created, there: false, gone: false, status: 'PENDING', version: 1, early: [] },
  internal: (job) =>
    job.there && !job.gone
      ? job.early
          .filter((status) => isMove(job.status, status))
          .map((status) => ({ ...moved(job, status), early: job.early.filter((other) => other !== status) }))
      : [],
});

const moved = (job: JobState, status: string): JobState => ({
  ...job,
  status,
  ...(status !== job.status && { previous: job.status }),
  version: job.version + 1,
});

/** Only defined fields: what is not asked for stays. */
const withFields = (job: JobState, { status: _, ...fields }: JobFields): JobState => ({
  ...job,
  ...Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)),
});

const when = (holds: boolean, state: JobState): readonly JobState[] => (holds ? [state] : []);

/** Refusals that come before the status counts: not there is 404, another organisation's is 403. */
function refusedFirst(job: JobState, isForeign: boolean): 403 | 404 | undefined {
  if (!job.there || job.gone) return 404;
  return isForeign ? 403 : undefined;
}

export const createJob = (window: Window): Step<JobState> => ({
  ...window,
  next: (job) => when(!job.there, { ...job, there: true }),
});

const shownJob = ({ name, description, priority, metadata, status, version }: JobState, fixed: FixedFields) =>
  JSON.parse(JSON.stringify({ ...fixed, name, description, priority, metadata, status, version })) as unknown;

export const getJob = (window: Window, answer: Answered, isForeign: boolean, fixed: FixedFields): Step<JobState> => ({
  ...window,
  next: (job) => {
    const refused = refusedFirst(job, isForeign);
    if (refused !== undefined) return when(answer.status === refused, job);
    const isShown = answer.status === 200 && answer.etag === `"${job.version}"`;
    return when(isShown && isDeepStrictEqual(answer.body['job'], shownJob(job, fixed)), job);
  },
});

/** What a job becomes by a PATCH, or the status of its refusal. The order of refusals: 404, 403, 412, 400. */
function changed(job: JobState, change: JobFields, ifVersion: number | undefined): JobState | 400 | 412 {
  if (ifVersion !== undefined && ifVersion !== job.version) return 412;
  const { status } = change;
  if (status !== undefined && status !== job.status && !isMove(job.status, status)) return 400;
  const asksForNothing = Object.entries(change).every(
    ([field, value]) => value === undefined || (field === 'status' && value === job.status),
  );
  return asksForNothing ? job : moved(withFields(job, change), status ?? job.status);
}

export const patchJob = (
  window: Window,
  answer: Answered,
  isForeign: boolean,
  change: JobFields,
  ifVersion: number | undefined,
): Step<JobState> => ({
  ...window,
  next: (job) => {
    const refused = refusedFirst(job, isForeign);
    if (refused !== undefined) return when(answer.status === refused, job);
    const after = changed(job, change, ifVersion);
    if (typeof after === 'number') return when(answer.status === after, job);
    const shown = (answer.body['job'] ?? {}) as Record<string, unknown>;
    const isSame = (['name', 'description', 'priority', 'status', 'version'] as const).every(
      (field) => shown[field] === after[field],
    );
    return when(answer.status === 200 && isSame && answer.etag === `"${after.version}"`, after);
  },
});

export const cancelJob = (window: Window, answer: Answered, isForeign: boolean): Step<JobState> => ({
  ...window,
  next: (job) => {
    const refused = refusedFirst(job, isForeign);
    if (refused !== undefined) return when(answer.status === refused, job);
    const mayBe = isMove(job.status, 'CANCELLED');
    return mayBe
      ? when(answer.status === 200, moved(job, 'CANCELLED'))
      : when(answer.status === 400 && answer.body['error'] === 'Cannot cancel job', job);
  },
});

export const deleteJob = (window: Window, answer: Answered, isForeign: boolean): Step<JobState> => ({
  ...window,
  next: (job) => {
    const refused = refusedFirst(job, isForeign);
    if (refused !== undefined) return when(answer.status === refused, job);
    return when(answer.status === 200, { ...job, gone: true });
  },
});

/**
 * A report of the drone platform (docs/platform.md): it moves a job along the lifecycle, once; what is late, repeated,
 * contradictory or of no job changes nothing, and what is early comes again.
 */
export const reportJob = (window: Window, status: string): Step<JobState> => ({
  ...window,
  next: (job) => {
    if (!job.there || job.gone) return [job];
    if (isMove(job.status, status)) return [moved(job, status)];
    if (isFurther(job.status, status)) return [{ ...job, early: [...job.early, status].toSorted() }];
    return [job];
  },
});

/** As a list, a handshake or a channel shows a job: all given parts are as it has them; `absent`: there is none. */
export const seeJob = (
  window: Window,
  seen: JobFields & { readonly version?: number; readonly previous?: string | undefined; readonly absent?: true },
): Step<JobState> => ({
  ...window,
  next: (job) => {
    const isThere = job.there && !job.gone;
    if (seen.absent) return when(!isThere, job);
    const isSame = Object.entries(seen).every(([field, value]) => value === undefined || job[field as never] === value);
    return when(isThere && isSame, job);
  },
});

/** The last word on a job: it is gone, and was in that status. `sequence` is one more than its last version. */
export const hearDeleted = (window: Window, status: string, sequence: number): Step<JobState> => ({
  ...window,
  next: (job) => when(job.gone && job.status === status && job.version + 1 === sequence, job),
});
