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
