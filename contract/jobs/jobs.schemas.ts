import * as z from 'zod/mini';
import * as domain from '../../domain/jobs/job';
import { jobRequest } from '../../domain/jobs/job-request';
import { links, nextToken, page, success } from '../terms/page.schemas';

export const jobsQuery = z.strictObject({
  ...page,
  status: z.optional(domain.jobStatus),
  deviceGroupId: jobRequest.shape.deviceId,
  deviceId: jobRequest.shape.deviceId,
});

export const createdJob = z.extend(domain.jobSummary, { links });

export const createdJobReply = z.object({ success, job: createdJob });

export const jobsReply = z.object({ success, jobs: z.array(domain.jobSummary), count: z.int(), nextToken });

/** A job with everything that a partner set. */
export const job = z.extend(
  z.pick(domain.jobRecord, {
    name: true,
    deviceGroupId: true,
    description: true,
    missionId: true,
    deviceId: true,
    priority: true,
    scheduledAt: true,
    desiredLocation: true,
    actionOnArrival: true,
    flight: true,
    metadata: true,
    jobId: true,
    status: true,
    missionVersion: true,
    reportedAt: true,
    reason: true,
    reasonText: true,
    commandId: true,
    plannedFlight: true,
    progress: true,
    version: true,
    createdAt: true,
  }),
  { links },
);

export const jobReply = z.object({ success, job });

export const updatedJob = z.pick(domain.jobRecord, {
  jobId: true,
  name: true,
  description: true,
  status: true,
  priority: true,
  updatedAt: true,
  version: true,
});

export const updatedJobReply = z.object({ success, job: updatedJob });

export const cancelledJob = z.object({ jobId: z.string(), status: z.literal('CANCELLED'), cancelledAt: z.string() });

export const cancelledJobReply = z.object({ success, job: cancelledJob });
