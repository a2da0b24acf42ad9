import { isDeepStrictEqual } from 'node:util';
import type { Model, Step } from './linearize';

/** The lifecycle of the specification (section 3) and the design (section 3), written independently of the code under test. */
const transitions: Readonly<Record<string, readonly string[]>> = {
  PENDING: ['QUEUED', 'CANCELLED', 'FAILED'],
  QUEUED: ['IN_PROGRESS', 'CANCELLED', 'FAILED'],
  IN_PROGRESS: ['COMPLETED', 'FAILED'],
  COMPLETED: [],
  FAILED: [],
  CANCELLED: [],
};

export const isTransition = (from: string, to: string): boolean => transitions[from]?.includes(to) ?? false;

/** Whether a sequence of transitions leads from one status to the other. @param passed statuses that need no second look */
export const isReachable = (
  from: string,
  to: string,
  moves: Readonly<Record<string, readonly string[]>> = transitions,
  passed: readonly string[] = [],
): boolean =>
  (moves[from] ?? []).some(
    (next) => next === to || (!passed.includes(next) && isReachable(next, to, moves, [...passed, from])),
  );

/** Fields of a job; those that it does not have are undefined. */
export interface JobFields {
  readonly name?: string | undefined;
  readonly description?: string | undefined;
  readonly priority?: number | undefined;
  readonly metadata?: unknown;
  readonly status?: string | undefined;
}

/** A report of the platform: a status, and when it was reached. */
export interface Report {
  readonly status: string;
  readonly at: string;
}

/** A job in the model. */
export interface JobState extends JobFields {
  readonly isCreated: boolean;
  readonly isDeleted: boolean;
  readonly status: string;
  /** The status before the last transition. */
  readonly previous?: string | undefined;
  /** When the platform says that it got its status, if it did say so. */
  readonly reportedAt?: string | undefined;
  /** Whether the platform has reported on it: then its status is the platform's word. */
  readonly hasReports: boolean;
  readonly version: number;
  /** What the platform reported too early: it is retried. */
  readonly early: readonly Report[];
}

/** Immutable fields of a job: from the request, and from the answer to its creation. */
export type FixedFields = Readonly<Record<string, unknown>>;

type Window = Pick<Step<JobState>, 'start' | 'end' | 'label'>;

/** The checked parts of a REST answer. */
export interface CheckedAnswer {
  readonly status: number;
  readonly etag: string | undefined;
  readonly body: Readonly<Record<string, unknown>>;
}

export const jobModel = (created: JobFields): Model<JobState> => ({
  initial: {
    ...created,
    isCreated: false,
    isDeleted: false,
    status: 'PENDING',
    hasReports: false,
    version: 1,
    early: [],
  },
  internal: (job) =>
    job.isCreated && !job.isDeleted
      ? job.early
          .filter(({ status }) => isTransition(job.status, status))
          .map((report) => ({
            ...reportedStatus(job, report),
            early: job.early.filter((other) => other !== report),
          }))
      : [],
});

const withStatus = (job: JobState, status: string): JobState => ({
  ...job,
  status,
  ...(status !== job.status && { previous: job.status, reportedAt: undefined }),
  version: job.version + 1,
});

const reportedStatus = (job: JobState, { status, at }: Report): JobState => ({
  ...withStatus(job, status),
  reportedAt: at,
  hasReports: true,
});

/** Applies defined fields only: the others stay. */
const withFields = (job: JobState, { status: _, ...fields }: JobFields): JobState => ({
  ...job,
  ...Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)),
});

const onlyIf = (holds: boolean, state: JobState): readonly JobState[] => (holds ? [state] : []);

/** Refusals before the status is checked: 404 if the job does not exist, 403 for another organisation's. */
function accessRefusal(job: JobState, isForeign: boolean): 403 | 404 | undefined {
  if (!job.isCreated || job.isDeleted) return 404;
  return isForeign ? 403 : undefined;
}

export const createJob = (window: Window): Step<JobState> => ({
  ...window,
  next: (job) => onlyIf(!job.isCreated, { ...job, isCreated: true }),
});

const shownJob = (
  { name, description, priority, metadata, status, reportedAt, version }: JobState,
  fixed: FixedFields,
) =>
  JSON.parse(
    JSON.stringify({ ...fixed, name, description, priority, metadata, status, reportedAt, version }),
  ) as unknown;

export const getJob = (
  window: Window,
  answer: CheckedAnswer,
  isForeign: boolean,
  fixed: FixedFields,
): Step<JobState> => ({
  ...window,
  next: (job) => {
    const refused = accessRefusal(job, isForeign);
    if (refused !== undefined) return onlyIf(answer.status === refused, job);
    const isShown = answer.status === 200 && answer.etag === `"${job.version}"`;
    return onlyIf(isShown && isDeepStrictEqual(answer.body['job'], shownJob(job, fixed)), job);
  },
});

/** The job after a PATCH, or the status of its refusal, in the order 404, 403, 412, 400. */
function changed(job: JobState, change: JobFields, ifVersion: number | undefined): JobState | 400 | 412 {
  if (ifVersion !== undefined && ifVersion !== job.version) return 412;
  const { status } = change;
  const isMove = status !== undefined && status !== job.status;
  if (isMove && !isTransition(job.status, status)) return 400;
  if (isMove && job.hasReports && reportable.includes(status)) return 400;
  const changesNothing = Object.entries(change).every(
    ([field, value]) => value === undefined || (field === 'status' && value === job.status),
  );
  return changesNothing ? job : withStatus(withFields(job, change), status ?? job.status);
}

export const patchJob = (
  window: Window,
  answer: CheckedAnswer,
  isForeign: boolean,
  change: JobFields,
  ifVersion: number | undefined,
): Step<JobState> => ({
  ...window,
  next: (job) => {
    const refused = accessRefusal(job, isForeign);
    if (refused !== undefined) return onlyIf(answer.status === refused, job);
    const after = changed(job, change, ifVersion);
    if (typeof after === 'number') return onlyIf(answer.status === after, job);
    const shown = (answer.body['job'] ?? {}) as Record<string, unknown>;
    const isSame = (['name', 'description', 'priority', 'status', 'version'] as const).every(
      (field) => shown[field] === after[field],
    );
    return onlyIf(answer.status === 200 && isSame && answer.etag === `"${after.version}"`, after);
  },
});

export const cancelJob = (window: Window, answer: CheckedAnswer, isForeign: boolean): Step<JobState> => ({
  ...window,
  next: (job) => {
    const refused = accessRefusal(job, isForeign);
    if (refused !== undefined) return onlyIf(answer.status === refused, job);
    const mayBe = isTransition(job.status, 'CANCELLED');
    return mayBe
      ? onlyIf(answer.status === 200, withStatus(job, 'CANCELLED'))
      : onlyIf(answer.status === 400 && answer.body['error'] === 'Cannot cancel job', job);
  },
});

export const deleteJob = (window: Window, answer: CheckedAnswer, isForeign: boolean): Step<JobState> => ({
  ...window,
  next: (job) => {
    const refused = accessRefusal(job, isForeign);
    if (refused !== undefined) return onlyIf(answer.status === refused, job);
    return onlyIf(answer.status === 200, { ...job, isDeleted: true });
  },
});

/** What the platform reports: to cancel is the partner's. */
const reportable = ['QUEUED', 'IN_PROGRESS', 'COMPLETED', 'FAILED'];

/**
 * A report of the drone platform (docs/platform.md): a valid one moves the job along the lifecycle once; a late, repeated
 * or contradictory one, or one for an unknown job, changes nothing; nor does one that is rejected; an early one is
 * retried. The first report of an open job counts also when a partner has set that status.
 * @param isRejected whether its time is impossible
 */
export const reportJob = (window: Window, report: Report, isRejected = false): Step<JobState> => ({
  ...window,
  next: (job) => {
    const { status } = report;
    if (!job.isCreated || job.isDeleted || isRejected || !reportable.includes(status)) return [job];
    const isFirst = status === job.status && !job.hasReports && (transitions[status] ?? []).length > 0;
    if (isFirst || isTransition(job.status, status)) return [reportedStatus(job, report)];
    if (isReachable(job.status, status)) return [{ ...job, early: [...job.early, report].toSorted(byTime) }];
    return [job];
  },
});

const byTime = (one: Report, other: Report) => one.at.localeCompare(other.at) || one.status.localeCompare(other.status);

/** A job as shown by a list, a handshake or a channel: all given fields match; `absent`: it does not exist. */
export const observeJob = (
  window: Window,
  seen: JobFields & { readonly version?: number; readonly previous?: string | undefined; readonly absent?: true },
): Step<JobState> => ({
  ...window,
  next: (job) => {
    const isThere = job.isCreated && !job.isDeleted;
    if (seen.absent) return onlyIf(!isThere, job);
    const isSame = Object.entries(seen).every(([field, value]) => value === undefined || job[field as never] === value);
    return onlyIf(isThere && isSame, job);
  },
});

/** The final message of a deleted job, with its last status. `sequence` is one more than its last version. */
export const observeJobDeletion = (window: Window, status: string, sequence: number): Step<JobState> => ({
  ...window,
  next: (job) => onlyIf(job.isDeleted && job.status === status && job.version + 1 === sequence, job),
});

/** What is stored under an `Idempotency-Key` of a client and endpoint: the first request and its answer. */
export interface KeyState {
  readonly request?: string;
  readonly answer?: string;
}

export const keyModel: Model<KeyState> = { initial: {} };

/**
 * A creation with a key (design, section 3): the first one creates; the same body gets the first answer, another one 400.
 * @param request the body
 * @param answer the body of a 201; undefined for a 400
 */
export const createWithKey = (
  window: Pick<Step<KeyState>, 'start' | 'end' | 'label'>,
  request: string,
  answer: string | undefined,
): Step<KeyState> => ({
  ...window,
  next: (key) => {
    if (key.request === undefined) return answer === undefined ? [] : [{ request, answer }];
    const expected = key.request === request ? key.answer : undefined;
    return answer === expected ? [key] : [];
  },
});
