import { eventToChangeId } from '../../data/jobs/change-id';
import { changeJob } from '../../data/jobs/job-changes';
import { readOpenJobs } from '../../data/jobs/open-jobs';
import type { Organisation } from '../../domain/values/id';
import type { Job } from '../../domain/jobs/job';
import { failureReasons } from '../../domain/jobs/job-report';
import { Refusal } from '../../domain/values/refusal';
import { SERVICE } from '../../domain/values/service';
import { whyStranded, type FleetChange } from '../../domain/jobs/stranded-job';
import { withConcurrency } from '../runtime/concurrency';

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
