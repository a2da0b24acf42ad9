import * as z from 'zod';

/** When a schedule is due: once, at a Unix time in ms, or at an interval. */
export type Timing = { readonly at: number } | { readonly everyMs: number };

const MINUTE_MS = 60_000;
const units: Readonly<Record<string, number>> = { minute: MINUTE_MS, hour: 60 * MINUTE_MS, day: 1440 * MINUTE_MS };

/**
 * Parses a schedule expression in UTC (EventBridge Scheduler user guide, "Schedule types"): `at(yyyy-mm-ddThh:mm:ss)` or
 * `rate(value unit)`. Returns undefined for an invalid one and for `cron(…)`, which is not supported.
 */
export function parseScheduleExpression(text: string): Timing | undefined {
  const [, moment] = /^at\((\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)\)$/.exec(text) ?? [];
  if (moment !== undefined) {
    const at = Date.parse(`${moment}Z`);
    // Date.parse takes the 30th of February for a day in March.
    return Number.isNaN(at) || !new Date(at).toISOString().startsWith(moment) ? undefined : { at };
  }
  const [, value, unit = ''] = /^rate\((\d+) (minute|hour|day)s?\)$/.exec(text) ?? [];
  const everyMs = Number(value) * (units[unit] ?? NaN);
  return everyMs > 0 ? { everyMs } : undefined;
}

const target = z.strictObject({
  Arn: z.string().regex(/^arn:[^:]+:(lambda|sqs):/, 'only functions and queues are supported as targets'),
  RoleArn: z.string().regex(/^arn:[^:]+:iam:/),
  Input: z.string().refine(isJson, 'the input must be JSON').optional(),
  /**
   * Ignored, like DeadLetterConfig: both apply to the delivery to Lambda or SQS, which never fails here. A denied one
   * is logged.
   */
  RetryPolicy: z.unknown().optional(),
  DeadLetterConfig: z.strictObject({ Arn: z.string().regex(/^arn:[^:]+:sqs:/) }).optional(),
});

/**
 * Input of CreateSchedule, and properties of AWS::Scheduler::Schedule (EventBridge Scheduler API reference). An option
 * that is not supported is refused by name.
 */
export const schedule = z.strictObject({
  Name: z.string().regex(/^[\w.-]{1,64}$/),
  GroupName: z.string().default('default'),
  Description: z.string().max(512).optional(),
  ScheduleExpression: z
    .string()
    .refine(
      (text) => parseScheduleExpression(text) !== undefined,
      'Invalid Schedule Expression; cron is not supported',
    ),
  ScheduleExpressionTimezone: z.enum(['UTC', 'Etc/UTC']).default('UTC'),
  /** A schedule with a window runs at the window's start. */
  FlexibleTimeWindow: z.strictObject({
    Mode: z.enum(['OFF', 'FLEXIBLE']),
    MaximumWindowInMinutes: z.number().int().min(1).max(1440).optional(),
  }),
  State: z.enum(['ENABLED', 'DISABLED']).default('ENABLED'),
  ActionAfterCompletion: z.enum(['NONE', 'DELETE']).default('NONE'),
  Target: target,
});

export type Schedule = z.infer<typeof schedule>;

export const storedSchedule = schedule.extend({
  /** In Unix seconds, like LastModificationDate. */
  CreationDate: z.number(),
  LastModificationDate: z.number(),
  /** True for a one-time schedule that has run. */
  onCompleted: z.boolean().default(false),
});

export type StoredSchedule = z.infer<typeof storedSchedule>;

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
