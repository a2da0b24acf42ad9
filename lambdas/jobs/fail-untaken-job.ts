import { changeJob } from '../../data/jobs/job-changes';
import { readJob } from '../../data/jobs/jobs';
import { failureReasons } from '../../domain/jobs/job-report';
import { Refusal } from '../../domain/values/refusal';
import { SERVICE } from '../../domain/values/service';

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
