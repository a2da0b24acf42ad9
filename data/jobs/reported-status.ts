import { organisationOf } from '../../domain/id';
import { isAhead, type JobStatus } from '../../domain/job-lifecycle';
import { Refusal } from '../../domain/refusal';
import { changeJob } from './job-changes';
import { readItem } from './jobs';

/**
 * What became of a report of a job's status. `late`: the job is past it; `early`: something before it is missing;
 * `contradictory`: no way leads there; `unknown`: there is no such job.
 */
export type ReportOutcome = 'moved' | 'repeated' | 'late' | 'early' | 'contradictory' | 'unknown';

/**
 * Moves a job to the status that the platform reports, along the lifecycle and by one conditional write.
 * @param reportId names this report, so that it has one effect however often it comes
 * @param now ISO 8601
 * @returns what became of it; in all cases but `moved` nothing has changed
 */
export async function reportStatus(
  jobId: string,
  status: JobStatus,
  reportId: string,
  now: string,
): Promise<ReportOutcome> {
  const organisation = organisationOf('job', jobId);
  if (!organisation) return 'unknown';
  try {
    const job = await changeJob(organisation, jobId, { status }, { changeId: reportId, now });
    return job.updatedAt === now ? 'moved' : 'repeated';
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
  }
  const found = await readItem(jobId);
  if (!found) return 'unknown';
  const known = found.job.status;
  if (isAhead(status, known)) return 'late';
  return isAhead(known, status) ? 'early' : 'contradictory';
}
