/** What the drone platform reports of a job: its status, when it was reached, which device flies it, and why it failed. */
import * as z from 'zod/mini';
import { flightSettings, type FlightSettings } from '../values/destination';
import { organisationOf, type Organisation } from '../values/id';
import { isReported, jobStatuses } from './job-lifecycle';
import { progress, roundedProgress, type Progress } from './progress';
import { invalid, type Refusal } from '../values/refusal';
import { CLOCKS_DIFFER_MS, expectNotAhead } from '../values/reported-time';
import { moment, name, text } from '../values/text';

/** The statuses that the platform reports; to cancel a job is the partner's. */
const reportedStatuses = jobStatuses.filter(isReported);

/** Why a job failed, by the code. The list is open: a platform may give others. */
export const failureReasons = {
  LINK_LOSS: 'The drone could not be reached any more.',
  LOW_BATTERY: 'The battery did not last for the mission.',
  DOCK_FAULT: 'The dock did not work.',
  DEVICE_FAULT: 'The drone did not work.',
  WEATHER: 'The weather did not allow the flight.',
  ABORTED: 'A person stopped the mission.',
  ABORTED_BY_COMMAND: 'A command ended the flight.',
  UNREACHABLE: 'The drone can’t fly there as the job asks.',
  NOT_TAKEN: 'The drone platform did not queue the dispatched job in time.',
  DEVICE_REMOVED: 'The platform removed the device that was to fly it.',
  DEVICE_MOVED: 'The platform moved the device that was to fly it to another group.',
  GROUP_REMOVED: 'The platform removed the device group.',
} as const;
export type FailureReason = keyof typeof failureReasons;

/** A code in capitals, such as those of {@link failureReasons}. */
export const reasonCode = z.string().check(z.regex(/^[A-Z][A-Z0-9_]{0,63}$/));

/** What is known of how a job got its status, beside the status itself. */
export const statusCause = z.object({
  /** When the platform says that the status was reached. */
  reportedAt: z.optional(z.string()),
  reason: z.optional(reasonCode),
  reasonText: z.optional(text(1, 1024)),
  /** The command that ended the flight. */
  commandId: z.optional(name),
});

/** The detail of `job.status.reported`. */
export const jobReport = z.object({
  jobId: name,
  status: z.enum(reportedStatuses),
  at: moment,
  deviceId: z.optional(name),
  /** How the device flies it: what the job asked for, and what the platform chose beside it. */
  plannedFlight: z.optional(z.object(flightSettings.shape)),
  progress: z.optional(z.object(progress.shape)),
  ...z.omit(statusCause, { reportedAt: true }).shape,
});
export type JobReport = z.output<typeof jobReport>;

/** How long before the creation of its job a report may lie, in ms. */
export const MAX_BEFORE_CREATION_MS = CLOCKS_DIFFER_MS;

/** What of a report is stored with the job. */
export interface StatusCause extends z.output<typeof statusCause> {
  /** The device that flies the job, of a job that names none. */
  readonly deviceId?: string | undefined;
  readonly plannedFlight?: FlightSettings | undefined;
  readonly progress?: Progress | undefined;
}

/**
 * What of a report is stored with its job: only a failure has a reason, and a command that caused it.
 * @param organisation of the job
 * @throws Refusal `invalid_request` for a device of another organisation, or a time in the future
 */
export function reportedCause(
  { status, at, deviceId, plannedFlight, reason, reasonText, commandId, ...report }: JobReport,
  organisation: Organisation,
  now: Date,
): StatusCause {
  if (deviceId !== undefined && organisationOf('device', deviceId) !== organisation)
    throw invalid('deviceId', 'is not a device of the organisation of the job');
  expectNotAhead('at', at, now);
  const progress = report.progress && roundedProgress(report.progress);
  const failure = status === 'FAILED' && { reason, reasonText, commandId };
  return { reportedAt: at, deviceId, plannedFlight, progress, ...failure };
}

/** Why a report does not fit the job; undefined when it does. */
export function whyReportIsWrong(
  job: { readonly createdAt: string; readonly deviceId?: string | undefined },
  { reportedAt, deviceId }: StatusCause,
): Refusal | undefined {
  if (reportedAt !== undefined && Date.parse(reportedAt) < Date.parse(job.createdAt) - MAX_BEFORE_CREATION_MS)
    return invalid('at', 'is more than 60 seconds before the job was created');
  if (deviceId !== undefined && job.deviceId !== undefined && deviceId !== job.deviceId)
    return invalid('deviceId', 'is not the device of the job');
  return undefined;
}
