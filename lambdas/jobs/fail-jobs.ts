import { eventToChangeId } from '../../data/jobs/change-id';
import { readOpenJobs } from '../../data/jobs/open-jobs';
import type { Organisation } from '../../domain/values/id';
import type { Job } from '../../domain/jobs/job';
import { whyStranded, type FleetChange } from '../../domain/jobs/stranded-job';
import { withConcurrency } from '../runtime/concurrency';
import { changeJob } from '../../data/jobs/job-changes';
import { readJob } from '../../data/jobs/jobs';
import { failureReasons } from '../../domain/jobs/job-report';
import { Refusal } from '../../domain/values/refusal';
import { SERVICE } from '../../domain/values/service';

/**
 * Fails the open jobs of an organisation that nobody can fly any more; partners and the platform are told as of any
 * change. Idempotent.
 * @param eventId of the event that changed the fleet
 */
export async function failStrandedJobs(
  organisation: Organisation,
  change: FleetChange,
  eventId: string,
  now: Date,
): Promise<void> {
  const options = { changeId: eventToChangeId(eventId), now: now.toISOString(), changedBy: SERVICE } as const;
  const fail = async (job: Job) => {
    const reason = whyStranded(job, change);
    if (!reason) return;
    const cause = { reason, reasonText: failureReasons[reason] };
    try {
      await changeJob(organisation, job.jobId, { status: 'FAILED' }, { ...options, cause });
    } catch (error) {
      // It ended meanwhile, or was deleted.
      if (!(error instanceof Refusal)) throw error;
    }
  };
  for await (const jobs of readOpenJobs(organisation)) await withConcurrency(jobs, fail);
}

/**
 * Fails a dispatched job that the platform has not queued; the partner and the platform are told as of any change. Idempotent.
 * @param id of this deadline @throws Error when the job is changed meanwhile: it is tried again
 */
export async function failUntakenJob(jobId: string, id: string, now: Date): Promise<void> {
  const found = await readJob(jobId);
  if (found?.job.status !== 'PENDING') return;
  const reason = 'NOT_TAKEN';
  const cause = { reason, reasonText: failureReasons[reason] };
  const ifVersions = [found.job.version];
  const options = { changeId: id, now: now.toISOString(), cause, ifVersions, changedBy: SERVICE } as const;
  try {
    await changeJob(found.owner, jobId, { status: 'FAILED' }, options);
  } catch (error) {
    if (error instanceof Refusal && error.code === 'job_not_found') return;
    throw error;
  }
}
