import * as z from 'zod/mini';
import { meantAction, actions, flightSettings, expectDestination, location } from '../values/destination';
import type { Organisation } from '../values/id';
import { jobStatuses } from './job-lifecycle';
import { statusCause } from './job-report';
import { metadata, storedMetadata } from '../values/metadata';
import type { Mission } from '../missions/mission-record';
import { progress } from './progress';
import { Refusal, foreign, invalid } from '../values/refusal';
import { moment, name, text } from '../values/text';

const priority = z.int().check(z.minimum(1), z.maximum(10));

export const jobStatus = z.enum(jobStatuses);

/** Body of a request for a new job; unknown fields are refused, so that none is dropped silently. */
export const jobRequest = z.strictObject({
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
  metadata: z.optional(metadata),
});

/** The fields of a job that a partner may change. */
export const jobChange = z.strictObject({
  name: z.optional(name),
  description: z.optional(text(0, 4096)),
  priority: z.optional(priority),
  status: z.optional(jobStatus),
  metadata: z.optional(metadata),
});

/** A drone mission as it is stored. `version` is incremented with every change. */
export const jobRecord = z.object({
  ...jobRequest.shape,
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

export type JobRequest = z.output<typeof jobRequest>;
export type JobChange = z.output<typeof jobChange>;
export type Job = z.output<typeof jobRecord>;
export type JobSummary = z.output<typeof jobSummary>;

/** Most jobs that a page of a list filtered by device or group looks at: each is read, and paid for. */
export const MAX_SEARCHED = 1000;

/** How long ago a new job may be scheduled, in ms: clocks differ, and requests take a while. */
const SCHEDULED_AGO_MS = 5 * 60_000;

/**
 * The job that a request creates: PENDING, version 1. `now` is ISO 8601.
 * @throws Refusal `invalid_request` for a time in the past: the zero value of a client's date would be a flight at
 *   once; and for a destination that lacks something (`expectDestination`)
 */
export function newJob(request: JobRequest, jobId: string, now: string): Job {
  const { scheduledAt } = request;
  if (scheduledAt !== undefined && Date.parse(scheduledAt) < Date.parse(now) - SCHEDULED_AGO_MS)
    throw invalid('scheduledAt', 'is more than five minutes ago');
  expectDestination(request);
  return {
    ...request,
    actionOnArrival: meantAction(request),
    jobId,
    status: 'PENDING',
    version: 1,
    createdAt: now,
    updatedAt: now,
  };
}

/** A new job that keeps the version of its mission, if that is one of this service. */
export const withMission = (created: Job, mission: Pick<Mission, 'version'> | undefined): Job =>
  mission ? { ...created, actionOnArrival: 'MISSION', missionVersion: mission.version } : created;

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
