/**
 * What becomes of the samples of a device: what of them is new, to whom it is sent, what is recorded, and whether the
 * device's state is saved. The only decision on the way of a sample (docs/platform.md): what comes before it reads, what
 * comes after it acts.
 */
import type { Device } from './device';
import { flightAfter, flightAfterLate, takeOffOfLateState, type FlightPhase, type TakeOff } from '../telemetry/flight';
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
import { measuredAt, mergeState, withoutJob, type KnownState } from '../telemetry/known-state';
import { beginsLater, isReportDue, decideSaving, type Saving } from './state-saving';
import { sampleSequence, type Sample } from '../telemetry/sample';

/** A job that a sample names. */
export interface NamedJob {
  readonly jobId: string;
  /** The only device that may fly it; undefined: each of its group may. */
  readonly deviceId?: string | undefined;
  readonly status: JobStatus;
  readonly times: FlightTimes;
}

/** Jobs that were looked up, by their identifiers; undefined: there is none. */
export type NamedJobs = ReadonlyMap<string, NamedJob | undefined>;

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
  /** The sample with the position; undefined when it is recorded again with what was measured with it and came apart. */
  readonly sample: Sample | undefined;
  readonly point: RecordedPoint;
  /** Whose record it is; of the positions in an interval of so many seconds the earliest is kept. */
  readonly flight: string;
  readonly kind: 'job' | 'device';
  readonly everySeconds: number;
  /** From when on a position counts, ISO 8601: what is recorded of the time before does not. Undefined: not known yet. */
  readonly since: string | undefined;
}

/** What is known of a device: as it was read or saved, and what was accepted of it since then. */
export interface KnownDevice {
  readonly device: Device;
  /** Its state with what is not saved ({@link stateBeside}); undefined when that is not known, which costs calls only. */
  readonly latest?: KnownState | undefined;
  /** What came late: followers get it with the next sample that is not. */
  readonly owed?: KnownState | undefined;
  /** When the last position of it was measured that was recorded, Unix ms; undefined when that is not known. */
  readonly recordedAt?: number | undefined;
}

/** What becomes of the samples of a device. */
export interface Decision {
  /** The samples that say something that was not known. */
  readonly news: readonly Sample[];
  /** What followers are sent of them, in order: samples of one time are one message. */
  readonly messages: readonly KnownState[];
  readonly entries: readonly RecordEntry[];
  /** What is known of the device then; undefined while it never reported. */
  readonly state: KnownState | undefined;
  /** What of it is new. */
  readonly taken: KnownState | undefined;
  readonly owed: KnownState | undefined;
  /** `report`: there is nothing new, but the device has reported. */
  readonly saving: Saving | { readonly kind: 'report' | 'nothing' };
}

/**
 * What is known of a device that was read anew, beside what was known of it; of one that was registered again nothing of
 * before.
 */
export const stateBeside = (device: Device, latest: KnownState | undefined): KnownState | undefined =>
  device.lastState && latest ? mergeState(device.lastState, lateState(latest, device)).state : device.lastState;

/** Within so many ms the parts of one state arrive, in any order. */
const PARTS_WITHIN_MS = 10_000;

/**
 * What comes late of a device, without the job that it names if that is over: it ended, or it was named before the
 * take-off of the flight that the device is in. What is known may have no job for that very reason.
 * @param jobs that were looked up
 */
export function lateState(
  state: KnownState,
  device: Pick<Device, 'deviceId' | 'takeOff'>,
  jobs: NamedJobs = new Map(),
): KnownState {
  const namedAt = measuredAt(state, 'jobId');
  if (namedAt === undefined) return state;
  const takenOffAt = device.takeOff ? Date.parse(device.takeOff.timestamp) : -Infinity;
  const isOfEarlierFlight = namedAt < takenOffAt - PARTS_WITHIN_MS;
  return isOfEarlierFlight || hasEnded(state.jobId, device, jobs) ? withoutJob(state) : state;
}

/** A sample that was measured so long before the last one, in ms, says nothing of what is known now. */
const LATE_BY_MS = 3_600_000;

/** What samples of one time say together, and what is known of the device after them. */
interface Step {
  readonly samples: readonly Sample[];
  readonly said: KnownState;
  readonly news: readonly Sample[];
  readonly taken: KnownState | undefined;
  readonly state: KnownState;
  readonly flight: FlightPhase;
  /** Whether something that was measured later had come before. */
  readonly isLate: boolean;
}

/**
 * Decides on valid samples of one device, in any order, with repetitions.
 * @param jobs that they name, or that the device is known to fly
 */
export function decide(known: KnownDevice, samples: readonly Sample[], jobs: NamedJobs, now: Date): Decision {
  const { device } = known;
  const before = device.lastState && (known.latest ?? device.lastState);
  const steps = stepsOf(before, known, samples, jobs);
  const last = steps.at(-1);
  const taken = steps.flatMap((step) => step.taken ?? []);
  const { messages, owed } = tell(known.owed, steps);
  return {
    news: steps.flatMap(({ news }) => news),
    messages,
    entries: entriesOf(known, before, steps, jobs),
    state: last?.state ?? before,
    taken: joined(taken),
    owed,
    saving:
      last && (taken.length > 0 || beginsLater(device, last.flight))
        ? decideSaving(device, taken, last, now)
        : { kind: isReportDue(device, now) ? 'report' : 'nothing' },
  };
}

/** What some states say together, the first of one time. @returns undefined for none */
const joined = (states: readonly (KnownState | undefined)[]): KnownState | undefined =>
  states.reduce((all, next) => (next ? mergeState(all, next).state : all), undefined);

/** What is new, with the job that its progress is of, so that whoever merges it later knows whose it is. */
function withJobOfProgress(taken: KnownState | undefined, { jobId, ...known }: KnownState): KnownState | undefined {
  if (!taken?.progress || taken.jobId !== undefined || jobId === undefined) return taken;
  const namedAt = measuredAt({ ...known, jobId }, 'jobId') ?? Infinity;
  const timestamp = new Date(Math.min(namedAt, Date.parse(taken.timestamp))).toISOString();
  return joined([taken, { timestamp, jobId }]);
}

const stateIn = ({ deviceId: _deviceId, ...state }: Sample): KnownState => state;

/** Samples by their times, earliest first. */
function momentsOf(samples: readonly Sample[]): Iterable<readonly [Sample, ...Sample[]]> {
  const inOrder = samples.toSorted((one, other) => sampleSequence(one) - sampleSequence(other));
  const moments = new Map<string, [Sample, ...Sample[]]>();
  for (const sample of inOrder) {
    const moment = moments.get(sample.timestamp);
    if (moment) moment.push(sample);
    else moments.set(sample.timestamp, [sample]);
  }
  return moments.values();
}

function stepsOf(before: KnownState | undefined, { device }: KnownDevice, samples: readonly Sample[], jobs: NamedJobs) {
  const steps: Step[] = [];
  let state = before;
  let flight: FlightPhase = { takeOff: device.takeOff, standsSince: device.standsSince };
  for (const own of momentsOf(samples)) {
    const known = state;
    const [{ timestamp }] = own;
    const isLate = before !== undefined && Date.parse(timestamp) <= sampleSequence(before);
    const isTooLate = state !== undefined && sampleSequence(state) - Date.parse(timestamp) > LATE_BY_MS;
    const news: Sample[] = [];
    const takenOfEach: KnownState[] = [];
    for (const sample of own) {
      // Who names a job now may fly on after its end.
      const merged = mergeState(
        state,
        isLate ? lateState(stateIn(sample), { ...device, ...flight }, jobs) : stateIn(sample),
      );
      if (!merged.taken || isTooLate) continue;
      state = merged.state;
      news.push(sample);
      takenOfEach.push(merged.taken);
    }
    const said = own.length > 1 ? joined(own.map(stateIn)) : own.map(stateIn)[0];
    if (!state || !said) continue;
    const taken = withJobOfProgress(joined(takenOfEach), state);
    if (taken) flight = flightAfter({ lastState: known, ...flight }, taken);
    if (isLate && !isTooLate) flight = flightAfterLate(flight, said);
    if (!isLate && said.jobId === undefined && hasEnded(state.jobId, device, jobs, timestamp))
      state = withoutJob(state);
    steps.push({ samples: own, said, news, taken, state, flight, isLate });
  }
  return steps;
}

/**
 * Whether a job that a device was known to fly has ended by a time, or is gone. A name of the platform's own never ends.
 * @param timestamp ISO 8601; undefined: by now
 */
function hasEnded(
  jobId: string | undefined,
  { deviceId }: Pick<Device, 'deviceId'>,
  jobs: NamedJobs,
  timestamp?: string,
): boolean {
  if (jobId === undefined || organisationOf('job', jobId) !== organisationOf('device', deviceId)) return false;
  // Another instance may have saved a job that was not looked up here.
  if (!jobs.has(jobId)) return false;
  const job = jobs.get(jobId);
  if (!job) return true;
  const { endedAt } = job.times;
  return isFinal(job.status) && !(endedAt !== undefined && timestamp !== undefined && timestamp <= endedAt);
}

/**
 * The job that a device flies by what samples of one time say: what they leave out is as it is known. Late ones belong to
 * the job that is known since then, or to the flight that it is known of.
 */
function jobOf({ said, state, flight, isLate }: Step): string | undefined {
  if (said.jobId !== undefined) return said.jobId;
  const namedAt = measuredAt(state, 'jobId') ?? Infinity;
  const isOfFlight = namedAt < Infinity && takeOffOfLateState(flight, said) !== undefined;
  return !isLate || namedAt <= sampleSequence(said) || isOfFlight ? state.jobId : undefined;
}

/**
 * What followers are told: samples as they were published, of one that came late only what is new; that again with the
 * next sample, since most drop what is not later. Nothing else is told again: many take what comes last for the latest,
 * and another instance may have told a later value meanwhile.
 */
function tell(owedBefore: KnownState | undefined, steps: readonly Step[]) {
  const messages: KnownState[] = [];
  let owed = owedBefore;
  for (const step of steps) {
    if (!step.taken) continue;
    const job = step.said.jobId === undefined ? jobKnownIn(step) : undefined;
    const own = step.isLate ? step.taken : step.said;
    messages.push(joined([own, step.isLate ? undefined : owed, job]) ?? own);
    owed = step.isLate ? joined([owed, step.taken]) : undefined;
  }
  return { messages, owed };
}

/** The job that a step's samples belong to without naming it, as a state. */
function jobKnownIn(step: Step): KnownState | undefined {
  const jobId = jobOf(step);
  const at = Math.min(measuredAt(step.state, 'jobId') ?? Infinity, sampleSequence(step.said));
  return jobId === undefined ? undefined : { timestamp: new Date(at).toISOString(), jobId };
}

/** Positions to record, the earliest of each interval, and none that what was known shows to be recorded. */
function entriesOf(known: KnownDevice, before: KnownState | undefined, steps: readonly Step[], jobs: NamedJobs) {
  const { deviceId, takeOff } = known.device;
  const position = before && toRecordedPoint(deviceId, before);
  const recorded = position
    ? entriesIn(
        { sample: undefined, point: position },
        before.jobId,
        takeOff && takeOff.timestamp <= position.timestamp ? takeOff : undefined,
        jobs,
      )
    : [];
  const kept = new Map<string, RecordEntry>();
  for (const entry of steps.flatMap((step) => entriesOfStep(known, step, jobs))) {
    const slot = slotOf(entry);
    const isRecorded = recorded.some((each) => slotOf(each) === slot && each.point.timestamp < entry.point.timestamp);
    if (!isRecorded && !kept.has(slot)) kept.set(slot, entry);
  }
  return [...kept.values()];
}

const slotOf = ({ flight, everySeconds, point }: RecordEntry) =>
  `${flight} ${recordInterval(point.timestamp, everySeconds)}`;

function entriesOfStep({ device, recordedAt }: KnownDevice, step: Step, jobs: NamedJobs): RecordEntry[] {
  const { samples, said, taken, state, flight, isLate } = step;
  const at = sampleSequence(said);
  // What was measured with a position that is recorded, and came apart.
  const isAddition =
    taken !== undefined &&
    !taken.navigation?.position &&
    measuredAt(state, 'navigation.position') === at &&
    (recordedAt === undefined || recordedAt === at);
  const sample = isAddition ? undefined : samples.find(({ navigation }) => navigation?.position);
  if (!sample && !isAddition) return [];
  const point = toRecordedPoint(device.deviceId, measuredAt(state, 'navigation.position') === at ? state : said);
  const takeOff = isLate ? takeOffOfLateState(flight, said) : flight.takeOff;
  return point ? entriesIn({ sample, point }, jobOf(step), takeOff, jobs) : [];
}

/** The entries for a position: in the record of the job that its device flies, and of the flight that it is in. */
function entriesIn(
  of: Pick<RecordEntry, 'sample' | 'point'>,
  jobId: string | undefined,
  takeOff: TakeOff | undefined,
  jobs: NamedJobs,
): RecordEntry[] {
  const { timestamp, deviceId } = of.point;
  const job = jobs.get(jobId ?? '');
  return [
    ...(job && isRecordable(job, timestamp)
      ? [
          {
            ...of,
            kind: 'job' as const,
            flight: job.jobId,
            everySeconds: JOB_POINT_EVERY_S,
            since: job.times.startedAt && earliestSame(job.times.startedAt),
          },
        ]
      : []),
    ...(takeOff
      ? [
          {
            ...of,
            kind: 'device' as const,
            flight: deviceId,
            everySeconds: DEVICE_POINT_EVERY_S,
            since: takeOff.timestamp,
          },
        ]
      : []),
  ];
}

/**
 * Whether a position may be one of a job's flight. The report that a job has begun may come after its first samples, so they are
 * kept; whoever reads the record leaves out what was reported before the flight or after it.
 */
const isRecordable = ({ status, times }: NamedJob, timestamp: string): boolean =>
  isFlown(status) || (isFinal(status) && times.startedAt !== undefined) ? isWithin(times, timestamp) : !isFinal(status);
