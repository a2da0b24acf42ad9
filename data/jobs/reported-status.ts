import { organisationOf } from '../../domain/id';
import { canReach, type JobStatus } from '../../domain/job-lifecycle';
import { Refusal } from '../../domain/refusal';
import { PLATFORM } from '../../domain/service';
import { changeJob } from './job-changes';
import { readItem } from './jobs';

/**
 * Result of a reported status. `moved`: the job has it now; `repeated`: it had it before; `late`: the job is past it; `early`:
 * a status between is missing; `contradictory`: no path leads to it; `unknown`: no such job.
 */
export type ReportOutcome = 'moved' | 'repeated' | 'late' | 'early' | 'contradictory' | 'unknown';

/**
 * Moves a job to the status that the platform reports, along the lifecycle and by one conditional write. The platform is not told.
 * @param reportId identifies this report, so that repeats have no further effect
 * @param now ISO 8601
 * @param at when the platform says that it happened, ISO 8601 in UTC
 * @returns the result; only `moved` changes the job
 */
export async function reportStatus(
  jobId: string,
  status: JobStatus,
  reportId: string,
  now: string,
  at: string,
): Promise<ReportOutcome> {
  const organisation = organisationOf('job', jobId);
  if (!organisation) return 'unknown';
  try {
    const job = await changeJob(organisation, jobId, { status }, { changeId: reportId, now, at, changedBy: PLATFORM });
    return job.updatedAt === now ? 'moved' : 'repeated';
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
  }
  const found = await readItem(jobId);
  if (!found) return 'unknown';
  const known = found.job.status;
  if (canReach(status, known)) return 'late';
  return canReach(known, status) ? 'early' : 'contradictory';
}
