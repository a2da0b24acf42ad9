/** Whether a job could be flown, before there is one: what the service and the drone platform find. */
import * as z from 'zod/mini';
import type { Candidate } from './candidate';
import { jobRecord, type Job } from '../jobs/job';
import { reasonCode } from '../jobs/job-report';
import { listOfDistinct } from '../values/list-of-distinct';
import { name } from '../values/text';

/** What speaks against a job, by the code: beside these the `reason` with which the job would fail. The list is open. */
export const findingCodes = {
  NO_DEVICE: 'No device that could fly it is free now.',
  LOW_BATTERY: 'The flight takes more of the charge than it may: percent.',
  UNREACHABLE: 'The drone can’t fly there as the job asks.',
  UNDECIDED: 'The drone platform did not answer in time.',
} as const;

/** What of a job decides whether it could be flown. */
export const checkedJob = z.pick(jobRecord, {
  deviceGroupId: true,
  deviceId: true,
  missionId: true,
  missionVersion: true,
  scheduledAt: true,
  desiredLocation: true,
  actionOnArrival: true,
  flight: true,
  metadata: true,
});

/** What the drone platform is asked about a job. */
export const checkQuestion = (of: Job): z.output<typeof checkedJob> => checkedJob.parse(of);

const atLeastZero = z.number().check(z.minimum(0));

/**
 * What speaks against a job: where in the request, at which waypoint of its mission, counted from 0, and what is
 * allowed there.
 */
export const finding = z.object({
  code: reasonCode,
  path: z.optional(name),
  waypoint: z.optional(z.int().check(z.minimum(0))),
  limit: z.optional(z.number()),
  actual: z.optional(z.number()),
});
export type Finding = z.output<typeof finding>;

/** Most findings in a report: a mission with a fault at each waypoint is not flown for the first of them. */
const MAX_FINDINGS = 100;

/** What the flight takes: metres, seconds, and percent of a full charge. */
const flightNeeds = z.object({
  length: z.optional(atLeastZero),
  durationSeconds: z.optional(atLeastZero),
  charge: z.optional(atLeastZero),
});

/** What the drone platform says of a job. */
export const checkReport = z.object({
  ...flightNeeds.shape,
  findings: listOfDistinct(finding, 0, MAX_FINDINGS, 'findings'),
});
export type CheckReport = z.output<typeof checkReport>;

/** Whether a job could be flown, and what the flight takes as far as the platform told. */
export type JobCheck = z.output<typeof flightNeeds> & {
  readonly feasible: boolean;
  readonly findings: Finding[];
};

/**
 * Whether none of the devices that were looked at could begin a job now. A job for later is not judged by what devices do now.
 * @param candidates undefined when the job has no place to rank devices by
 * @param now ISO 8601
 */
export const lacksDevice = (
  candidates: readonly Candidate[] | undefined,
  scheduledAt: string | undefined,
  now: string,
): boolean =>
  candidates !== undefined &&
  candidates.every(({ reason }) => reason !== undefined) &&
  !(scheduledAt !== undefined && Date.parse(scheduledAt) > Date.parse(now));

/**
 * Decides about a job. Each finding speaks against it, also one whose code the service does not know; silence of the
 * platform too.
 * @param report undefined when the platform did not answer in time
 */
export function judgeReport(report: CheckReport | undefined, isWithoutDevice: boolean): JobCheck {
  const { findings: reported, ...needs } = report ?? { findings: [{ code: 'UNDECIDED' }] };
  const isTold = reported.some(({ code }) => code === 'NO_DEVICE');
  const findings = isWithoutDevice && !isTold ? [{ code: 'NO_DEVICE' }, ...reported] : reported;
  return { feasible: findings.length === 0, ...needs, findings };
}
