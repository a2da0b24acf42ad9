export const jobStatuses = ['PENDING', 'QUEUED', 'IN_PROGRESS', 'COMPLETED', 'FAILED', 'CANCELLED'] as const;
export type JobStatus = (typeof jobStatuses)[number];

/** The lifecycle, whole: where a job may go from where it is (spec section 3, DESIGN section 3). */
export const lifecycle = {
  PENDING: ['QUEUED', 'CANCELLED', 'FAILED'],
  QUEUED: ['IN_PROGRESS', 'CANCELLED', 'FAILED'],
  IN_PROGRESS: ['COMPLETED', 'FAILED'],
  COMPLETED: [],
  FAILED: [],
  CANCELLED: [],
} as const satisfies Record<JobStatus, readonly JobStatus[]>;

/** Whether the lifecycle has a move between the two. */
export const mayMove = (from: JobStatus, to: JobStatus) => (lifecycle[from] as readonly JobStatus[]).includes(to);

/** Whether no move leads on from a status. */
export const isFinal = (status: JobStatus) => lifecycle[status].length === 0;

/** The statuses that a job can be moved from to get `to`; the condition of a transition is made from it. */
export const statusesBefore = (to: JobStatus): readonly JobStatus[] => jobStatuses.filter((from) => mayMove(from, to));

/** Whether any way leads from one to the other. */
export const isAhead = (from: JobStatus, to: JobStatus): boolean =>
  lifecycle[from].some((next) => next === to || isAhead(next, to));
