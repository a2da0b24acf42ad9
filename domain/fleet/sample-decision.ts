/**
 * What becomes of the samples of a device: to whom they are news, what of them is recorded, and whether the device's state is
 * saved. The only decision on the way of a sample (docs/platform.md): what comes before it reads, what comes after it acts.
 */
import type { Device } from './device';
import { takeOffOfLateState, takeOffsAfter, type TakeOff } from '../telemetry/flight';
import {
  DEVICE_POINT_EVERY_S,
  recordInterval,
  isWithin,
  JOB_POINT_EVERY_S,
  toRecordedPoint,
  type FlightTimes,
  type RecordedPoint,
} from '../telemetry/flight-record';
import { organisationOf } from '../values/id';
import { FLOWN_ON_MS, isFinal, isFlown, type JobStatus } from '../jobs/job-lifecycle';
import type { Detail } from '../values/refusal';
import { AHEAD, earliestSame, isAhead } from '../values/reported-time';
import { isReportDue, decideSaving, type Saving } from './state-saving';
import { sampleSequence, type Sample } from '../telemetry/sample';

/** A job that a sample names. */
export interface NamedJob {
  readonly jobId: string;
  /** The only device that may fly it; undefined: each of its group may. */
  readonly deviceId?: string | undefined;
  readonly status: JobStatus;
  readonly times: FlightTimes;
}

/** Jobs by their identifiers; those that do not exist are missing. */
export type NamedJobs = ReadonlyMap<string, NamedJob>;

/** The fault of a sample whose device is not one of the organisation's, or not yet. */
export const NOT_YOURS: Detail = { path: 'deviceId', message: 'is not a device of yours' };

/**
 * Why a sample is refused.
 * @returns undefined when it is not; the path is that in the sample, empty for the whole
 */
export function faultIn(sample: Sample, device: Device | undefined, jobs: NamedJobs, now: Date): Detail | undefined {
  const { deviceId, jobId, timestamp } = sample;
  if (!device) return NOT_YOURS;
  if (isAhead(timestamp, now)) return { path: 'timestamp', message: AHEAD };
  if (jobId === undefined) return undefined;
  const owner = organisationOf('job', jobId);
  if (owner !== undefined && owner !== organisationOf('device', deviceId))
    return { path: 'jobId', message: 'is not a job of yours' };
  // A job that was deleted while it was flown is still named; a name of the platform's own is not looked up.
  const job = jobs.get(jobId);
  if (!job) return undefined;
  if ((job.deviceId ?? deviceId) !== deviceId) return { path: 'jobId', message: 'is the job of another device' };
  const { endedAt } = job.times;
  return endedAt !== undefined && Date.parse(endedAt) + FLOWN_ON_MS < now.getTime()
    ? { path: 'jobId', message: 'is a job that ended more than 24 hours ago' }
    : undefined;
}

/** A position to keep in the record of a job's flight or of a device's. */
export interface RecordEntry {
  readonly sample: Sample;
  readonly point: RecordedPoint;
  /** Whose record it is; of the positions in an interval of so many seconds the earliest is kept. */
  readonly flight: string;
  readonly kind: 'job' | 'device';
  readonly everySeconds: number;
  /** From when on a position counts, ISO 8601: what is recorded of the time before does not. Undefined: not known yet. */
  readonly since: string | undefined;
}

/** What is known of a device: as it was read or saved, and the latest sample that was accepted of it. */
export interface KnownDevice {
  readonly device: Device;
  /** Undefined when none was, or when it is not known, which costs calls only. */
  readonly latest?: Sample | undefined;
}

/** What becomes of the samples of a device. */
export interface Decision {
  /** Samples that are later than any known one, in order: for followers. */
  readonly news: readonly Sample[];
  readonly entries: readonly RecordEntry[];
  /** Of the newest of the news. `report`: there are none, but the device has reported. */
  readonly saving: Saving | { readonly kind: 'report' | 'nothing' };
}

/** Decides on valid samples of one device, in any order, with repetitions. */
export function decide(known: KnownDevice, samples: readonly Sample[], jobs: NamedJobs, now: Date): Decision {
  const { device } = known;
  const inOrder = [...new Map(samples.map((each) => [each.timestamp, each])).values()].toSorted(
    (one, other) => sampleSequence(one) - sampleSequence(other),
  );
  const last = latestOf(known);
  const news = inOrder.filter((sample) => !last || sampleSequence(sample) > sampleSequence(last));
  return {
    news,
    entries: entriesOf(known, inOrder.slice(0, inOrder.length - news.length), news, jobs),
    saving:
      news.length > 0 ? decideSaving(device, news, now) : { kind: isReportDue(device, now) ? 'report' : 'nothing' },
  };
}

/** The latest sample of a device, saved or not. */
function latestOf({ device: { deviceId, lastState }, latest }: KnownDevice): Sample | undefined {
  if (latest && (!lastState || sampleSequence(latest) > sampleSequence(lastState))) return latest;
  return lastState && { ...lastState, deviceId };
}

/** Positions to record, the earliest of each interval, and none that the latest sample before shows to be recorded. */
function entriesOf(known: KnownDevice, late: readonly Sample[], news: readonly Sample[], jobs: NamedJobs) {
  const { device } = known;
  const takeOffs = takeOffsAfter(device, news);
  const entriesOfLate = (sample: Sample) => entriesIn(sample, takeOffOfLateState(device, sample), jobs);
  const last = latestOf(known);
  const before = last ? entriesOfLate(last) : [];
  const all = [
    ...late.flatMap(entriesOfLate),
    ...news.flatMap((each, index) => entriesIn(each, takeOffs[index], jobs)),
  ];
  const kept = new Map<string, RecordEntry>();
  for (const entry of all) {
    const slot = slotOf(entry);
    const isRecorded = before.some((each) => slotOf(each) === slot && each.point.timestamp < entry.point.timestamp);
    if (!isRecorded && !kept.has(slot)) kept.set(slot, entry);
  }
  return [...kept.values()];
}

const slotOf = ({ flight, everySeconds, point }: RecordEntry) =>
  `${flight} ${recordInterval(point.timestamp, everySeconds)}`;

/** The entries for a sample: in the record of the job that it names, and of the flight that its device is in. */
function entriesIn(sample: Sample, takeOff: TakeOff | undefined, jobs: NamedJobs): RecordEntry[] {
  const point = toRecordedPoint(sample);
  if (!point) return [];
  const entry = (kind: RecordEntry['kind'], flight: string, everySeconds: number, since: string | undefined) => ({
    sample,
    point,
    kind,
    flight,
    everySeconds,
    since,
  });
  const job = jobs.get(sample.jobId ?? '');
  return [
    ...(job && isRecordable(job, point.timestamp)
      ? [entry('job', job.jobId, JOB_POINT_EVERY_S, job.times.startedAt && earliestSame(job.times.startedAt))]
      : []),
    ...(takeOff ? [entry('device', sample.deviceId, DEVICE_POINT_EVERY_S, takeOff.timestamp)] : []),
  ];
}

/**
 * Whether a position may be one of a job's flight. The report that a job has begun may come after its first samples, so they are
 * kept; whoever reads the record leaves out what was reported before the flight or after it.
 */
const isRecordable = ({ status, times }: NamedJob, timestamp: string): boolean =>
  isFlown(status) || (isFinal(status) && times.startedAt !== undefined) ? isWithin(times, timestamp) : !isFinal(status);
