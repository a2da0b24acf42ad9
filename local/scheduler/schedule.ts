import * as z from 'zod';
import { parseScheduleExpression } from './expression';

const target = z.strictObject({
  Arn: z.string().regex(/^arn:[^:]+:lambda:/, 'only functions are played as targets'),
  RoleArn: z.string().regex(/^arn:[^:]+:iam:/),
  Input: z.string().refine(isJson, 'a function takes JSON').optional(),
  /** Both concern the call that hands the event over, which never fails here; one that is not allowed is logged. */
  RetryPolicy: z.unknown().optional(),
  DeadLetterConfig: z.strictObject({ Arn: z.string().regex(/^arn:[^:]+:sqs:/) }).optional(),
});

/**
 * A schedule as CreateSchedule takes it, and as AWS::Scheduler::Schedule does (EventBridge Scheduler API reference). An
 * option that is not played is refused by name.
 */
export const schedule = z.strictObject({
  Name: z.string().regex(/^[\w.-]{1,64}$/),
  GroupName: z.string().default('default'),
  Description: z.string().max(512).optional(),
  ScheduleExpression: z
    .string()
    .refine((text) => parseScheduleExpression(text) !== undefined, 'Invalid Schedule Expression; cron is not played'),
  ScheduleExpressionTimezone: z.enum(['UTC', 'Etc/UTC']).default('UTC'),
  /** A window is used at its beginning. */
  FlexibleTimeWindow: z.strictObject({
    Mode: z.enum(['OFF', 'FLEXIBLE']),
    MaximumWindowInMinutes: z.number().int().min(1).max(1440).optional(),
  }),
  State: z.enum(['ENABLED', 'DISABLED']).default('ENABLED'),
  ActionAfterCompletion: z.enum(['NONE', 'DELETE']).default('NONE'),
  Target: target,
});

export type Schedule = z.infer<typeof schedule>;

/** A schedule that exists. */
export const keptSchedule = schedule.extend({
  /** Unix seconds, both. */
  CreationDate: z.number(),
  LastModificationDate: z.number(),
  /** A one-time schedule that has been carried out. */
  completed: z.boolean().default(false),
});

export type KeptSchedule = z.infer<typeof keptSchedule>;

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
