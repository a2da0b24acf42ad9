import { Duration, Stack } from 'aws-cdk-lib/core';
import { MathExpression, type IMetric } from 'aws-cdk-lib/aws-cloudwatch';
import { FilterPattern, MetricFilter } from 'aws-cdk-lib/aws-logs';
import type { ApiFunction } from '../functions/api-function';

/** Of every alarm: how long its metric is looked at. */
export const period = Duration.minutes(5);

/** Parts of the dashboard, in its order: what the metric of an alarm is about. */
export const alarmGroups = ['calls', 'lateness', 'tables', 'queues', 'functions'] as const;

/** A metric, with what partners suffer when it reaches the threshold within a period. */
export interface AlarmDefinition {
  /** Of the alarm. */
  readonly name: string;
  readonly group: (typeof alarmGroups)[number];
  readonly impact: string;
  readonly metric: IMetric;
  readonly threshold: number;
}

/** In ms. A record is tried for a quarter of an hour at most, and what is behind it waits. */
const LATE_AFTER_MS = 60_000;

/** A reader of streams is late when what it reads is a minute old. */
export const late = ({ node, lambda }: ApiFunction, impact: string): AlarmDefinition => ({
  name: `${node.id}Late`,
  group: 'lateness',
  impact,
  metric: lambda.metric('IteratorAge', { period, statistic: 'Maximum' }),
  threshold: LATE_AFTER_MS,
});

/**
 * Errors of a function, from `threshold` in a period on: those that ended it, and those that it has caught and logged,
 * which no metric of Lambda's counts. Both metrics have data only for periods with errors, and a sum has none where one of
 * its parts has none.
 */
export function failing(watched: ApiFunction, impact: string, threshold = 5): AlarmDefinition {
  const { node, lambda } = watched;
  const name = `${node.id.charAt(0).toUpperCase()}${node.id.slice(1)}Errors`;
  const lines = new MetricFilter(watched, 'ErrorLines', {
    logGroup: lambda.logGroup,
    filterPattern: FilterPattern.stringValue('$.level', '=', 'ERROR'),
    metricNamespace: Stack.of(watched).stackName,
    metricName: name,
    metricValue: '1',
  });
  const metric = new MathExpression({
    expression: 'FILL(lines, 0) + FILL(failures, 0)',
    usingMetrics: { lines: lines.metric({ statistic: 'Sum' }), failures: lambda.metricErrors() },
    period,
  });
  return { name, group: 'functions', impact, metric, threshold };
}
