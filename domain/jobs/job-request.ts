import * as z from 'zod/mini';
import { meantAction, expectDestination } from '../values/destination';
import { metadata } from '../values/metadata';
import type { Mission } from '../missions/mission-record';
import { invalid } from '../values/refusal';
import { requestedFields, type Job } from './job';

/** Body of a request for a new job; unknown fields are refused, so that none is dropped silently. */
export const jobRequest = z.strictObject({ ...requestedFields, metadata: z.optional(metadata) });
export type JobRequest = z.output<typeof jobRequest>;

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
