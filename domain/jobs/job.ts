import * as z from 'zod/mini';
import { actions, flightSettings, location } from '../values/destination';
import type { Organisation } from '../values/id';
import { jobStatuses } from './job-lifecycle';
import { statusCause } from './job-report';
import { storedMetadata } from '../values/metadata';
import { progress } from './progress';
import { Refusal, foreign } from '../values/refusal';
import { moment, name, text } from '../values/text';

export const priority = z.int().check(z.minimum(1), z.maximum(10));

export const jobStatus = z.enum(jobStatuses);

/** What a job is asked for and stored with, but for its metadata. */
export const requestedFields = {
  name,
  deviceGroupId: name,
  description: z.optional(text(0, 4096)),
  missionId: z.optional(name),
  deviceId: z.optional(name),
  priority: z._default(priority, 5),
  scheduledAt: z.optional(moment),
  desiredLocation: z.optional(location),
  actionOnArrival: z.optional(z.enum(actions)),
  flight: z.optional(flightSettings),
};

/** A drone mission as it is stored. `version` is incremented with every change. */
export const jobRecord = z.object({
  ...requestedFields,
  metadata: z.optional(storedMetadata),
  jobId: z.string(),
  status: jobStatus,
  /** Which version of a mission of this service it flies. */
  missionVersion: z.optional(z.int()),
  ...statusCause.shape,
  /** How the device flies it, as the platform reported. */
  plannedFlight: z.optional(flightSettings),
  /** How far it has come, as the platform reported with a status. */
  progress: z.optional(progress),
  version: z.int(),
  createdAt: z.string(),
  updatedAt: z.string(),
  cancelledAt: z.optional(z.string()),
});

/** A job in a list. */
export const jobSummary = z.pick(jobRecord, {
  jobId: true,
  name: true,
  status: true,
  priority: true,
  deviceGroupId: true,
  deviceId: true,
  createdAt: true,
});

export type Job = z.output<typeof jobRecord>;
export type JobSummary = z.output<typeof jobSummary>;

/** Most jobs that a page of a list filtered by device or group looks at: each is read, and paid for. */
export const MAX_SEARCHED = 1000;

/**
 * Why a job is refused to a caller.
 * @param found the job's organisation, or undefined when the job does not exist
 * @returns undefined when it is the caller's
 */
export function whyJobRefused(
  found: { readonly owner: Organisation } | undefined,
  { caller }: { readonly caller: Organisation },
): Refusal | undefined {
  if (!found) return new Refusal('job_not_found');
  return found.owner === caller ? undefined : foreign('jobId');
}
