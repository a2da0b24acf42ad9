import { organisationOf } from '../../domain/id';
import { canReach } from '../../domain/job-lifecycle';
import { causeOf, type JobReport } from '../../domain/job-report';
import { notIssued, Refusal } from '../../domain/refusal';
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
 * @returns the result; only `moved` changes the job
 * @throws Refusal `invalid_request` for a report that does not fit its job, by its time or its device, or whose job can't be one of this service
 */
export async function reportStatus(report: JobReport, reportId: string, now: Date): Promise<ReportOutcome> {
  const { jobId, status } = report;
  const organisation = organisationOf('job', jobId);
  if (!organisation) throw notIssued('jobId');
  const cause = causeOf(report, organisation, now);
  const options = { changeId: reportId, now: now.toISOString(), cause, changedBy: PLATFORM } as const;
  try {
    const job = await changeJob(organisation, jobId, { status }, options);
    return job.updatedAt === options.now ? 'moved' : 'repeated';
  } catch (error) {
    if (!(error instanceof Refusal) || !isAboutStatus(error)) throw error;
  }
  const found = await readItem(jobId);
  if (!found) return 'unknown';
  const known = found.job.status;
  if (canReach(status, known)) return 'late';
  return canReach(known, status) ? 'early' : 'contradictory';
}

/** Whether a change is refused for the status that the job has, or because there is no job. */
const isAboutStatus = ({ code, details }: Refusal): boolean =>
  code === 'job_not_found' || details.some(({ path }) => path === 'status');
