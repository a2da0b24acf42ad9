import * as z from 'zod/mini';
import { organisationOf, type Organisation } from '../../domain/id';
import { job, type Job } from '../../domain/job';
import type { JobStatus } from '../../domain/job-lifecycle';
import { Refusal } from '../../domain/refusal';
import { metadataText, readMetadata } from '../store/metadata-text';

const item = z.object({
  ...job.shape,
  metadata: z.pipe(z.transform(readMetadata), job.shape.metadata),
  organisation: z.string(),
  changeId: z.optional(z.string()),
});

/** A job with what only the store knows: whose it is and which change was its last. */
export interface StoredJob {
  readonly owner: Organisation;
  readonly changeId: string | undefined;
  readonly job: Job;
}

/** Key of the index by status. */
export const statusKey = (organisation: Organisation, status: JobStatus) => `${organisation}#${status}`;

/** Key of a job; its identifier tells the partition. @throws Refusal `job_not_found` for what is no job id */
export function keyOf(jobId: string) {
  const organisation = organisationOf('job', jobId);
  if (!organisation) throw new Refusal('job_not_found');
  return { organisation, jobId };
}

/** The item of a new job. */
export const toItem = (organisation: Organisation, newJob: Job) => ({
  ...newJob,
  metadata: metadataText(newJob.metadata),
  organisation,
  organisationStatus: statusKey(organisation, newJob.status),
});

/** A job as it was read. @throws Error when the item is none: data that we never wrote */
export function fromItem(found: Record<string, unknown> | undefined): StoredJob | undefined {
  if (!found) return undefined;
  const { organisation, changeId, ...rest } = item.parse(found);
  return { owner: organisation, changeId, job: rest };
}
