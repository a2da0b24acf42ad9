/** How far a flight has come, as the drone platform or the device says: never a guess of this service. */
import * as z from 'zod/mini';
import { mayBeAsLate } from '../values/reported-time';
import { isFlown, type JobStatus } from './job-lifecycle';

const upTo = (max: number) => z.number().check(z.minimum(0), z.maximum(max));

/**
 * Percent of the whole flight. Metres and seconds to the job's place until the drone is there, then to the end of the
 * flight; of a job without a place always to the end.
 */
export const progress = z.strictObject({
  percent: upTo(100),
  distanceLeft: z.optional(upTo(1_000_000)),
  secondsLeft: z.optional(upTo(86_400)),
});
export type Progress = z.output<typeof progress>;

const hundredth = (value: number) => Math.round(value * 100) / 100;

/** A progress to a hundredth: nobody knows more, and a number may be as near to 0 as no store of decimals takes. */
export const roundedProgress = ({ percent, distanceLeft, secondsLeft }: Progress): Progress => ({
  percent: hundredth(percent),
  ...(distanceLeft !== undefined && { distanceLeft: hundredth(distanceLeft) }),
  ...(secondsLeft !== undefined && { secondsLeft: hundredth(secondsLeft) }),
});

/** What of a job says how far it has come. */
interface ReportedJob {
  readonly jobId: string;
  readonly status: JobStatus;
  /** As the platform reported it last with a status. */
  readonly progress?: Progress | undefined;
  /** When the platform says that the status was reached, ISO 8601 in UTC. */
  readonly reportedAt?: string | undefined;
}

/** What of a device's state says how far its flight has come. */
interface FlyingDevice {
  /** When it said so, ISO 8601. */
  readonly timestamp: string;
  readonly jobId?: string | undefined;
  readonly progress?: Progress | undefined;
}

/**
 * The newest progress of a job: in flight that of its device, if the device flies this job and may have said so after
 * the last status was reported: the clocks of the two differ. Otherwise what the platform reported with a status: a job
 * that is over keeps it, also when that is less than 100 %.
 * @param state that its device reported last
 * @returns undefined when nobody has said it
 */
export function newestProgress(job: ReportedJob, state: FlyingDevice | undefined): Progress | undefined {
  if (!isFlown(job.status) || state?.progress === undefined || state.jobId !== job.jobId) return job.progress;
  if (job.progress === undefined || job.reportedAt === undefined) return state.progress;
  return mayBeAsLate(state.timestamp, job.reportedAt) ? state.progress : job.progress;
}
