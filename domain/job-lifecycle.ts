export const jobStatuses = ['PENDING', 'QUEUED', 'IN_PROGRESS', 'COMPLETED', 'FAILED', 'CANCELLED'] as const;
export type JobStatus = (typeof jobStatuses)[number];

/** The allowed next statuses of each status (spec section 3, DESIGN section 3). */
export const lifecycle = {
  PENDING: ['QUEUED', 'CANCELLED', 'FAILED'],
  QUEUED: ['IN_PROGRESS', 'CANCELLED', 'FAILED'],
  IN_PROGRESS: ['COMPLETED', 'FAILED'],
  COMPLETED: [],
  FAILED: [],
  CANCELLED: [],
} as const satisfies Record<JobStatus, readonly JobStatus[]>;

/** Whether the lifecycle allows this transition. */
export const mayMove = (from: JobStatus, to: JobStatus) => (lifecycle[from] as readonly JobStatus[]).includes(to);

/** The statuses with a transition to `to`; the condition of the DynamoDB write is generated from them. */
export const statusesBefore = (to: JobStatus): readonly JobStatus[] => jobStatuses.filter((from) => mayMove(from, to));

/** Whether a path of one or more transitions leads from one status to the other. */
export const canReach = (from: JobStatus, to: JobStatus): boolean =>
  lifecycle[from].some((next) => next === to || canReach(next, to));
