import { Duration, Stack } from 'aws-cdk-lib/core';
import { MathExpression, type IMetric } from 'aws-cdk-lib/aws-cloudwatch';
import { FilterPattern, MetricFilter } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import type { ApiFunction } from '../functions/api-function';

/** Evaluation period of every alarm. */
export const period = Duration.minutes(5);

/** Subjects of alarm metrics: sections of the dashboard, in its order. */
export const alarmGroups = ['calls', 'lateness', 'tables', 'queues', 'functions'] as const;

/** A metric, and the impact on partners when it reaches the threshold within a period. */
export interface AlarmDefinition {
  /** Name of the alarm. */
  readonly name: string;
  readonly group: (typeof alarmGroups)[number];
  readonly impact: string;
  readonly metric: IMetric;
  readonly threshold: number;
}

const definitions = new WeakMap<Stack, AlarmDefinition[]>();

/** Adds an alarm to the stack of a construct; `Alarms` and `Dashboard` are built from all definitions. */
export function defineAlarm(scope: Construct, definition: AlarmDefinition): void {
  const stack = Stack.of(scope);
  definitions.set(stack, [...(definitions.get(stack) ?? []), definition]);
}

/** Alarms that the constructs of a stack have defined so far, in order. */
export const alarmDefinitions = (scope: Construct): readonly AlarmDefinition[] =>
  definitions.get(Stack.of(scope)) ?? [];

/** A record is retried for at most 15 minutes and blocks those behind it. */
const LATE_AFTER_MS = 60_000;

/** Defines the alarm `<Function>Late` on stream records that are a minute old. */
export function alarmOnLag(reader: ApiFunction, impact: string): void {
  defineAlarm(reader, {
    name: `${reader.node.id}Late`,
    group: 'lateness',
    impact,
    metric: reader.lambda.metric('IteratorAge', { period, statistic: 'Maximum' }),
    threshold: LATE_AFTER_MS,
  });
}

/**
 * Defines the alarm `<Function>Errors`. It counts failed invocations, and errors that the function caught and logged, which
 * Lambda's metrics do not include. Both metrics have data only for periods with errors, and a sum has no data where one
 * operand has none, hence FILL.
 * @param threshold errors within a period
 */
export function alarmOnErrors(failing: ApiFunction, impact: string, threshold = 5): void {
  const { node, lambda } = failing;
  const name = `${node.id.charAt(0).toUpperCase()}${node.id.slice(1)}Errors`;
  const lines = new MetricFilter(failing, 'ErrorLines', {
    logGroup: lambda.logGroup,
    filterPattern: FilterPattern.stringValue('$.level', '=', 'ERROR'),
    metricNamespace: Stack.of(failing).stackName,
    metricName: name,
    metricValue: '1',
  });
  const metric = new MathExpression({
    expression: 'FILL(lines, 0) + FILL(failures, 0)',
    usingMetrics: { lines: lines.metric({ statistic: 'Sum' }), failures: lambda.metricErrors() },
    period,
  });
  defineAlarm(failing, { name, group: 'functions', impact, metric, threshold });
}
