import { readOpenJobs } from '../../data/jobs/open-jobs';
import { listOrganisations } from '../../data/access/organisations';
import { MAX_ENTRIES, publishPlatformEvent, publishPlatformEvents } from '../../data/platform/publish-to-platform';
import type { Organisation } from '../../domain/values/id';
import type { Job } from '../../domain/jobs/job';
import { jobSnapshot } from '../../domain/platform/platform-event';
import { withConcurrency } from '../runtime/concurrency';
import { logger } from '../runtime/logger';
import { MissionLineRemoved, withMissionLine } from '../missions/with-mission-line';

/**
 * Publishes the open jobs for a platform that has lost its state: `job.snapshot` for each, then `jobs.answered` with
 * their number.
 * @param requestId of the platform's request
 * @param organisation whose jobs; undefined: of all
 */
export async function answerWithOpenJobs(
  requestId: string,
  organisation: Organisation | undefined,
  now: Date,
): Promise<void> {
  const owners = organisation
    ? [organisation]
    : (await listOrganisations()).organisations.map((registered) => registered.organisation);
  let count = 0;
  for (const owner of owners)
    for await (const jobs of readOpenJobs(owner)) {
      count += await publishSnapshots(jobs, requestId);
    }
  await publishPlatformEvent('jobs.answered', {
    eventId: `${requestId}/answered`,
    at: now.toISOString(),
    requestId,
    count,
  });
}

/** @returns how many were published: those that can be flown */
async function publishSnapshots(jobs: readonly Job[], requestId: string): Promise<number> {
  const details = jobs.map((job) => jobSnapshot(job, requestId));
  const small = details.filter(({ missionVersion }) => missionVersion === undefined);
  const calls = Array.from({ length: Math.ceil(small.length / MAX_ENTRIES) }, (_, index) =>
    small.slice(index * MAX_ENTRIES, (index + 1) * MAX_ENTRIES),
  );
  await withConcurrency(calls, (some) => publishPlatformEvents('job.snapshot', some));
  // The waypoints of one fill an event.
  const large = details.filter((detail) => !small.includes(detail));
  let removed = 0;
  await withConcurrency(large, async (detail) => {
    try {
      await publishPlatformEvent('job.snapshot', await withMissionLine(detail));
    } catch (error) {
      if (!(error instanceof MissionLineRemoved)) throw error;
      removed += 1;
      logger.warn('job left out of the answer', { jobId: detail.jobId, error });
    }
  });
  return jobs.length - removed;
}
