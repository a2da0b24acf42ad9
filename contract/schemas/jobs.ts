import * as z from 'zod/mini';
import { job, jobStatus } from '../../domain/job';
import { nextToken, page, success } from './page';

export const jobsQuery = z.strictObject({ ...page, status: z.optional(jobStatus) });

const jobSummary = z.pick(job, { jobId: true, name: true, status: true, priority: true, createdAt: true });

export const createdJobReply = z.object({ success, job: jobSummary });

export const jobsReply = z.object({ success, jobs: z.array(jobSummary), count: z.int(), nextToken });

export const jobReply = z.object({
  success,
  job: z.omit(job, { updatedAt: true, cancelledAt: true }),
});

export const updatedJobReply = z.object({
  success,
  job: z.pick(job, {
    jobId: true,
    name: true,
    description: true,
    status: true,
    priority: true,
    updatedAt: true,
    version: true,
  }),
});

export const cancelledJobReply = z.object({
  success,
  job: z.object({ jobId: z.string(), status: z.literal('CANCELLED'), cancelledAt: z.string() }),
});
