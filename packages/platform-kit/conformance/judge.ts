import { inboundEvents, type InboundEventType } from '../../../domain/platform/inbound-events';
import type { Expectation, Heard, PlayedJob } from './bus';

/**
 * What a platform must keep to, each with the sentence of docs/platform.md that it comes from. A test checks that the page has
 * the sentence.
 */
export const rules = {
  schemas: 'It has an unknown type, a field that is missing or wrong, or an identifier that does not belong there.',
  tags: 'they contain the tag of their organisation',
  clocks: 'Clocks may differ by a minute',
  lifecycle: 'The transitions are those of the lifecycle',
  repeats: "drops repeats: by `eventId` in the detail where there is one, else by the event's own `id`",
  versions: 'keeps the later of two events on one resource: by `version` for jobs',
  unknown: 'More types and fields may come: a platform ignores those that it does not know.',
  cancelled: 'After `job.cancelled` the job must not be flown',
  deleted: 'A job that was deleted is not begun, and one in flight is stopped: no more is reported of it.',
  scheduled: 'A job is not begun before its `scheduledAt`.',
  priority: 'Of the jobs that wait for a device, one with a higher `priority` goes first.',
  device: 'So is a `deviceId` that `is not the device of the job`',
  oneAtATime: 'A device flies one job at a time.',
  waits: 'A job for a device that has another one waits, and is not refused for it',
  answers: "Report `DELIVERED` when the device begins, and an outcome when it is achieved, or can't be",
  lateCommands: 'Do not begin it after `startBefore`',
  commandOrder: 'Take a command only if its `sequence` is above the last one taken of that device',
  anotherJob: "A device that flies another job than its `jobId` doesn't obey it",
  lists: 'The detail is one sample, or a list of up to 100 in `telemetry`.',
  order: 'later than the last one of its device',
  restart: 'A platform that is started again ends what it had begun.',
} as const;
export type RuleName = keyof typeof rules;

/** A rule that was broken, and how. */
export interface Breach {
  readonly rule: RuleName;
  readonly what: string;
}

/** What a run has played and heard. */
export interface Transcript {
  readonly tag: string;
  readonly heard: readonly Heard[];
  readonly jobs: ReadonlyMap<string, PlayedJob>;
  readonly expectations: ReadonlyMap<string, Expectation>;
  /** When jobs were deleted in flight, in ms. */
  readonly deletedAt: ReadonlyMap<string, number>;
  /** Jobs that wait for one device, in the order in which they must be begun. */
  readonly ranks: readonly (readonly [rule: RuleName, first: string, then: string])[];
  /** Jobs that came while their device had another one. */
  readonly waiting: readonly string[];
  /** Commands by their id; whether each was out of date when it was sent. */
  readonly commands: ReadonlyMap<
    string,
    { readonly isLate: boolean; readonly isOvertaken: boolean; readonly ofJob?: string | undefined }
  >;
  /** The job that was in flight when the platform was killed; undefined when it was not. */
  readonly interrupted?: string | undefined;
  /** A job after all that a platform may not know. */
  readonly afterUnknown: string;
}

const MINUTE_MS = 60_000;
/** A report that was on its way when the job was deleted is nobody's fault. */
const GRACE_MS = 2500;
const order = ['QUEUED', 'IN_PROGRESS', 'COMPLETED', 'FAILED'];
const isFinal = (status: unknown) => status === 'COMPLETED' || status === 'FAILED';

const textOf = (value: unknown) => (typeof value === 'string' ? value : '');
const of = (heard: readonly Heard[], type: InboundEventType) => heard.filter((event) => event.type === type);
const reportsOf = ({ heard }: Transcript, jobId: string) =>
  of(heard, 'job.status.reported').filter(({ detail }) => detail['jobId'] === jobId);
/** When a job was begun, as the platform says, in ms; undefined when it was not. */
const begunAt = (run: Transcript, jobId: string) => {
  const report = reportsOf(run, jobId).find(({ detail }) => detail['status'] === 'IN_PROGRESS');
  return report && Date.parse(textOf(report.detail['at']));
};
const samplesOf = ({ heard }: Transcript) =>
  of(heard, 'device.telemetry.reported').flatMap(({ detail }) =>
    Array.isArray(detail['telemetry']) ? (detail['telemetry'] as Record<string, unknown>[]) : [detail],
  );

/** How a rule is broken, if it is. */
type Check = (run: Transcript) => readonly string[];

/** For each of some values what is wrong with it. */
const each = <Value>(values: Iterable<Value>, wrong: (value: Value) => string | false | undefined) =>
  [...values].flatMap((value) => wrong(value) || []);

const checks: Readonly<Record<RuleName, Check>> = {
  schemas: ({ heard }) =>
    each(heard, ({ type, detail }) => {
      if (!Object.hasOwn(inboundEvents, type)) return `${type} is none of the types`;
      const parsed = inboundEvents[type as InboundEventType].safeParse(detail);
      return (
        !parsed.success &&
        `${type}: ${parsed.error.issues.map(({ path, message }) => `${path.join('.')} ${message}`).join(', ')}`
      );
    }),
  tags: ({ heard, tag }) =>
    each(heard, ({ type, detail }) => {
      const ids = ['jobId', 'deviceId', 'deviceGroupId'].flatMap((name) => textOf(detail[name]) || []);
      return ids.some((id) => id.split('-')[1] !== tag) && `${type}: ${ids.join(', ')}`;
    }),
  clocks: ({ heard }) =>
    each(heard, ({ type, detail, at }) => {
      const said = Date.parse(textOf(detail['at']));
      return Math.abs(said - at) > MINUTE_MS && `${type} says ${textOf(detail['at'])}`;
    }),
  lifecycle: (run) =>
    each(run.jobs.keys(), (jobId) => {
      const statuses = reportsOf(run, jobId).map(({ detail }) => textOf(detail['status']));
      const distinct = statuses.filter((status, index) => status !== statuses[index - 1]);
      const failed = distinct.at(-1) === 'FAILED' ? distinct.slice(0, -1) : distinct;
      const fits = failed.every((status, index) => status === order[index]) && failed.length <= 3;
      if (!fits && new Set(statuses).size === distinct.length) return `${jobId}: ${statuses.join(', ')}`;
      const isOpen = run.expectations.get(jobId) === 'ends' && !isFinal(distinct.at(-1));
      return isOpen && `${jobId} has not ended: ${statuses.join(', ') || 'nothing was reported'}`;
    }),
  repeats: (run) =>
    each(run.jobs.keys(), (jobId) => {
      const said = new Set(
        reportsOf(run, jobId).map(({ detail }) => `${textOf(detail['status'])} ${textOf(detail['at'])}`),
      );
      const statuses = [...said].map((one) => one.split(' ')[0]);
      // A repeat that says the same as the first one is as it should be after a crash.
      return new Set(statuses).size < statuses.length && `${jobId}: ${[...said].join(', ')}`;
    }),
  versions: (run) => ranked(run, 'versions'),
  priority: (run) => ranked(run, 'priority'),
  unknown: (run) =>
    reportsOf(run, run.afterUnknown).some(({ detail }) => isFinal(detail['status']))
      ? []
      : [`${run.afterUnknown} has not ended`],
  cancelled: (run) => notBegun(run, 'cancelled'),
  deleted: (run) => [
    ...notBegun(run, 'deleted'),
    ...each(run.deletedAt, ([jobId, at]) => {
      const late = reportsOf(run, jobId).filter((report) => report.at > at + GRACE_MS);
      return (
        late.length > 0 && `${jobId}: ${late.map(({ detail }) => textOf(detail['status'])).join(', ')} was reported`
      );
    }),
  ],
  scheduled: (run) =>
    each(run.jobs.values(), ({ jobId, scheduledAt }) => {
      const begun = begunAt(run, jobId);
      return (
        scheduledAt !== undefined &&
        begun !== undefined &&
        begun < Date.parse(scheduledAt) &&
        `${jobId} was begun early`
      );
    }),
  device: (run) =>
    each(run.jobs.values(), ({ jobId, deviceId, deviceGroupId }) => {
      const devices = reportsOf(run, jobId).flatMap(({ detail }) => textOf(detail['deviceId']) || []);
      const inGroup = of(run.heard, 'device.registered').filter(
        ({ detail }) => detail['deviceGroupId'] === deviceGroupId,
      );
      const fitting = deviceId === undefined ? inGroup.map(({ detail }) => textOf(detail['deviceId'])) : [deviceId];
      // A fleet that was there before registers nothing.
      const isKnown = deviceId !== undefined || inGroup.length > 0;
      return isKnown && devices.some((one) => !fitting.includes(one)) && `${jobId} was flown by ${devices.join(', ')}`;
    }),
  oneAtATime: (run) => {
    const flying = new Map<string, string>();
    return each(of(run.heard, 'job.status.reported'), ({ detail }) => {
      const [jobId, deviceId] = [textOf(detail['jobId']), textOf(detail['deviceId'])];
      if (isFinal(detail['status'])) for (const [device, job] of flying) if (job === jobId) flying.delete(device);
      if (detail['status'] !== 'IN_PROGRESS' || deviceId === '') return undefined;
      const other = flying.get(deviceId);
      flying.set(deviceId, jobId);
      return (
        other !== undefined &&
        other !== jobId &&
        !run.deletedAt.has(other) &&
        `${deviceId} began ${jobId} during ${other}`
      );
    });
  },
  waits: (run) =>
    each(run.waiting, (jobId) => {
      const isRefused = reportsOf(run, jobId).some(({ detail }) => detail['status'] === 'FAILED');
      return isRefused && begunAt(run, jobId) === undefined && `${jobId} was refused`;
    }),
  answers: (run) =>
    each(run.commands.keys(), (requestId) => {
      const found = of(run.heard, 'control.outcome.reported').filter(
        ({ detail }) => detail['requestId'] === requestId && detail['outcome'] !== 'DELIVERED',
      );
      const distinct = new Set(found.map(({ detail }) => JSON.stringify(detail)));
      return distinct.size !== 1 && `${requestId} has ${distinct.size} outcomes`;
    }),
  lateCommands: (run) =>
    each(of(run.heard, 'control.outcome.reported'), ({ detail: { requestId, outcome } }) => {
      const isLate = run.commands.get(textOf(requestId))?.isLate ?? false;
      return isLate && outcome === 'DONE' && `${textOf(requestId)} was executed`;
    }),
  commandOrder: (run) =>
    each(of(run.heard, 'control.outcome.reported'), ({ detail: { requestId, outcome } }) => {
      const isOvertaken = run.commands.get(textOf(requestId))?.isOvertaken ?? false;
      return isOvertaken && outcome === 'DONE' && `${textOf(requestId)} was executed after a later one`;
    }),
  anotherJob: (run) =>
    each(of(run.heard, 'control.outcome.reported'), ({ detail: { requestId, outcome } }) => {
      const ofJob = run.commands.get(textOf(requestId))?.ofJob;
      return ofJob !== undefined && outcome === 'DONE' && `${textOf(requestId)} was executed, for ${ofJob}`;
    }),
  lists: (run) => [
    ...(samplesOf(run).some(({ jobId }) => run.jobs.has(textOf(jobId))) ? [] : ['no flight has a sample']),
    ...each(of(run.heard, 'device.telemetry.reported'), ({ detail: { telemetry } }) => {
      return Array.isArray(telemetry) && telemetry.length > 100 && `${telemetry.length} samples`;
    }),
  ],
  order: (run) => {
    const last = new Map<string, string>();
    return each(samplesOf(run), ({ deviceId, timestamp }) => {
      const [device, at] = [textOf(deviceId), textOf(timestamp)];
      const before = last.get(device);
      last.set(device, at);
      return before !== undefined && Date.parse(at) <= Date.parse(before) && `${device}: ${at} after ${before}`;
    });
  },
  restart: (run) => {
    const { interrupted } = run;
    if (interrupted === undefined) return [];
    return reportsOf(run, interrupted).some(({ detail }) => isFinal(detail['status']))
      ? []
      : [`${interrupted} has not ended`];
  },
};

/** Of jobs for one device, those that were begun in another order than they must be. */
const ranked = (run: Transcript, rule: RuleName) =>
  each(run.ranks, ([of, first, then]) => {
    if (of !== rule) return undefined;
    const [one, other] = [begunAt(run, first), begunAt(run, then)];
    return other !== undefined && (one === undefined || one > other) && `${then} was begun before ${first}`;
  });

const notBegun = (run: Transcript, name: string) =>
  each(run.expectations, ([jobId, expected]) => {
    const isMeant = expected === 'is not begun' && jobId.includes(name);
    return isMeant && begunAt(run, jobId) !== undefined && `${jobId} was begun`;
  });

/** Rules that a run could not put to the test. A pure function. */
export const untested = ({ interrupted }: Transcript): RuleName[] => (interrupted === undefined ? ['restart'] : []);

/** The rules that a run has broken. A pure function. */
export const judge = (run: Transcript): Breach[] =>
  (Object.keys(checks) as RuleName[]).flatMap((rule) => checks[rule](run).map((what) => ({ rule, what })));
