// Generated from domain/jobs/job-lifecycle.ts by `npm run documents`.

/** No state follows these. */
export const FINAL_STATES: readonly unknown[] = ['COMPLETED', 'FAILED', 'CANCELLED'];
