import { Duration, Stack } from 'aws-cdk-lib/core';
import { type IMetric } from 'aws-cdk-lib/aws-cloudwatch';
import type { Construct } from 'constructs';
import type { ApiFunction } from './api-function';

/** Evaluation period of every alarm. */
export const period = Duration.minutes(5);

/** Subjects of alarm metrics: sections of the dashboard, in its order. */
export const alarmGroups = ['calls', 'channels', 'lateness', 'queues'] as const;

/** `page`: a partner suffers now, so somebody is woken. `ticket`: it can wait until morning; each says why. */
export type Urgency = 'page' | 'ticket';

/** A metric, and the impact on partners when it reaches the threshold within a period. */
export interface AlarmDefinition {
  /** Name of the alarm; in kebab-case that of its page in `docs/runbooks/`. */
  readonly name: string;
  readonly urgency: Urgency;
  readonly group: (typeof alarmGroups)[number];
  readonly impact: string;
  readonly metric: IMetric;
  readonly threshold: number;
  /** Fires when two of three periods reach the threshold, not one: for what a burst causes and retries survive. */
  readonly twoOfThree?: boolean;
}

/** What partners suffer, and whether now. */
export type Suffering = Pick<AlarmDefinition, 'urgency' | 'impact'>;

const definitions = new WeakMap<Stack, AlarmDefinition[]>();

/** Adds an alarm to the stack of a construct; `Alarms` and `Dashboard` are built from all definitions. */
export function defineAlarm(scope: Construct, definition: AlarmDefinition): void {
  const stack = Stack.of(scope);
  definitions.set(stack, [...(definitions.get(stack) ?? []), definition]);
}

/** Alarms that the constructs of a stack have defined so far, in order. */
export const alarmDefinitions = (scope: Construct): readonly AlarmDefinition[] =>
  definitions.get(Stack.of(scope)) ?? [];

/** Path of the page of an alarm, from the root of the project. */
export const runbookPath = (alarm: string): string =>
  `docs/runbooks/${alarm.replaceAll(/(?<=[a-z])(?=[A-Z])/g, '-').toLowerCase()}.md`;

/** A record is retried for at most 15 minutes and blocks those behind it; a heartbeat has missed its turn by then. */
const LATE_AFTER_MS = 60_000;

/**
 * Defines the alarm `<Function>Late` on what a function receives a minute late: records of a stream, or events that wait in
 * Lambda's own queue (Lambda developer guide, "Types of metrics for Lambda functions"). Both ages grow while it fails, so a
 * function that is retried needs no alarm on its errors.
 */
export function alarmOnLag(receiver: ApiFunction, age: 'IteratorAge' | 'AsyncEventAge', suffering: Suffering): void {
  defineAlarm(receiver, {
    name: `${receiver.node.id}Late`,
    group: 'lateness',
    ...suffering,
    metric: receiver.lambda.metric(age, { period, statistic: 'Maximum' }),
    threshold: LATE_AFTER_MS,
    // Lambda waits a minute before it tries again, so a single event that failed once is that late.
    ...(age === 'AsyncEventAge' && { twoOfThree: true }),
  });
}

/**
 * Defines the alarm `<Function>Errors` on runs of a scheduled function that fail: nobody waits for it and nothing repeats it.
 * @param threshold failed runs within a period
 */
export function alarmOnFailedRuns(scheduled: ApiFunction, threshold: number, suffering: Suffering): void {
  const metric = scheduled.lambda.metricErrors({ period });
  defineAlarm(scheduled, { name: `${scheduled.node.id}Errors`, group: 'channels', ...suffering, metric, threshold });
}
