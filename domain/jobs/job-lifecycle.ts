/** A status of a job. */
interface Stage<Status extends string> {
  /** The statuses that may follow; none after a final one. */
  readonly next: readonly Status[];
  /** Whether the drone is in the air for the job: its positions are published and recorded. */
  readonly flown: boolean;
  /** Whether the drone platform reports it. */
  readonly isReported: boolean;
}

export type JobStatus = 'PENDING' | 'QUEUED' | 'IN_PROGRESS' | 'COMPLETED' | 'FAILED' | 'CANCELLED';

/** The lifecycle of a job (spec section 3, DESIGN section 3). What names several statuses elsewhere derives from it. */
export const lifecycle: Readonly<Record<JobStatus, Stage<JobStatus>>> = {
  PENDING: { next: ['QUEUED', 'CANCELLED', 'FAILED'], flown: false, isReported: false },
  QUEUED: { next: ['IN_PROGRESS', 'CANCELLED', 'FAILED'], flown: false, isReported: true },
  IN_PROGRESS: { next: ['COMPLETED', 'FAILED'], flown: true, isReported: true },
  COMPLETED: { next: [], flown: false, isReported: true },
  FAILED: { next: [], flown: false, isReported: true },
  CANCELLED: { next: [], flown: false, isReported: false },
};

export const jobStatuses = Object.keys(lifecycle) as readonly JobStatus[];

/** Whether the lifecycle allows this transition. */
export const mayMove = (from: JobStatus, to: JobStatus): boolean => lifecycle[from].next.includes(to);

/** Whether nothing follows a status. */
export const isFinal = (status: JobStatus): boolean => lifecycle[status].next.length === 0;

/** The statuses that something may follow, in the order of the lifecycle. */
// Marked as pure, so that a bundle has them only where they are used.
export const openStatuses = /* @__PURE__ */ jobStatuses.filter((status) => !isFinal(status));

/** Whether the drone is in the air for a job with this status. */
export const isFlown = (status: JobStatus): boolean => lifecycle[status].flown;
export const flownStatuses = /* @__PURE__ */ jobStatuses.filter(isFlown);

/**
 * How long after the end of a job a device may still say that it flies it, in ms. A flight goes on for hours at most
 * after its job is over: the drone comes home.
 */
export const FLOWN_ON_MS = 24 * 60 * 60_000;

/** Whether the drone platform reports that a job has this status. */
export const isReported = (status: JobStatus): boolean => lifecycle[status].isReported;

/** The statuses with a transition to `to`; the condition of the DynamoDB write is generated from them. */
export const statusesBefore = (to: JobStatus): readonly JobStatus[] => jobStatuses.filter((from) => mayMove(from, to));

/** Whether a path of one or more transitions leads from one status to the other. */
export const canReach = (from: JobStatus, to: JobStatus): boolean => pathBetween(lifecycle, from, to) !== undefined;

/** The statuses through which a new job gets to a status, that one included. @throws Error for one that no job gets to */
export function pathTo(status: JobStatus): readonly JobStatus[] {
  const way = status === 'PENDING' ? [] : pathBetween(lifecycle, 'PENDING', status);
  if (!way) throw new Error(`no job gets to ${status}`);
  return way;
}

/**
 * The shortest path of one or more transitions. Each status is looked at once, so it ends in a lifecycle with a circle too.
 * @param stages a lifecycle
 * @returns the statuses after `from`, up to `to`; undefined when no path leads there
 */
export function pathBetween<Status extends string>(
  stages: Readonly<Record<Status, Pick<Stage<Status>, 'next'>>>,
  from: Status,
  to: Status,
): readonly Status[] | undefined {
  const seen = new Set<Status>();
  const ways = [{ last: from, way: [] as Status[] }];
  // The list grows while it is read.
  for (const { last, way } of ways)
    for (const next of stages[last].next) {
      if (next === to) return [...way, next];
      if (!seen.has(next)) ways.push({ last: next, way: [...way, next] });
      seen.add(next);
    }
  return undefined;
}
