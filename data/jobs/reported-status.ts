import { organisationOf } from '../../domain/values/id';
import { canReach } from '../../domain/jobs/job-lifecycle';
import { reportedCause, type JobReport } from '../../domain/jobs/job-report';
import { notIssued, Refusal } from '../../domain/values/refusal';
import { PLATFORM } from '../../domain/values/service';
import { changeJob } from './job-changes';
import { readJob } from './jobs';

/**
 * Result of a reported status. `moved`: the job has it now; `repeated`: it had it before; `late`: the job is past it; `early`:
 * a status between is missing; `contradictory`: no path leads to it; `unknown`: no such job.
 */
type ReportOutcome = 'moved' | 'repeated' | 'late' | 'early' | 'contradictory' | 'unknown';

/** What became of a report. */
export interface ReportResult {
  readonly outcome: ReportOutcome;
  /** The job's, when it is known. */
  readonly version?: number;
}

/**
 * Moves a job to the status that the platform reports, along the lifecycle and by one conditional write. The platform
 * is not told.
 * @param reportId identifies this report, so that repeats have no further effect
 * @returns the result; only `moved` changes the job
 * @throws Refusal `invalid_request` for a report that does not fit its job, by its time or its device, or whose job
 * can't be one of this service
 */
export async function reportStatus(report: JobReport, reportId: string, now: Date): Promise<ReportResult> {
  const { jobId, status } = report;
  const organisation = organisationOf('job', jobId);
  if (!organisation) throw notIssued('jobId');
  const cause = reportedCause(report, organisation, now);
  const options = { changeId: reportId, now: now.toISOString(), cause, changedBy: PLATFORM } as const;
  try {
    const job = await changeJob(organisation, jobId, { status }, options);
    return { outcome: job.updatedAt === options.now ? 'moved' : 'repeated', version: job.version };
  } catch (error) {
    if (!(error instanceof Refusal) || !isAboutStatus(error)) throw error;
  }
  const found = await readJob(jobId);
  if (!found) return { outcome: 'unknown' };
  const { status: known, version } = found.job;
  if (canReach(status, known)) return { outcome: 'late', version };
  return { outcome: canReach(known, status) ? 'early' : 'contradictory', version };
}

/** Whether a change is refused for the status that the job has, or because there is no job. */
const isAboutStatus = ({ code, details }: Refusal): boolean =>
  code === 'job_not_found' || details.some(({ path }) => path === 'status');
