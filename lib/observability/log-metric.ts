import { Stack } from 'aws-cdk-lib/core';
import { Metric, type MetricOptions } from 'aws-cdk-lib/aws-cloudwatch';
import { FilterPattern, MetricFilter } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import type { DropReason } from '../../contract/platform';
import type { RefusalCode } from '../../domain/refusal';
import type { ApiFunction } from '../functions/api-function';

export interface LogMetricProps {
  /** Functions whose logs are filtered. */
  readonly in: readonly ApiFunction[];
  /** Name of the metric; its namespace is the stack's name. */
  readonly as: string;
  /** Reasons to count. Each one that occurs is a metric that costs money, so list few. */
  readonly reasons: readonly (RefusalCode | DropReason)[];
}

/**
 * Counts refused or dropped requests by the `reason` of their log lines. CloudWatch Logs filters the lines, so no code runs
 * for it and only the metrics cost money: one for each reason that has occurred.
 */
export class LogMetric extends Construct {
  constructor(
    scope: Construct,
    id: string,
    private readonly props: LogMetricProps,
  ) {
    super(scope, id);
    for (const lines of props.in) {
      new MetricFilter(this, lines.node.id, {
        logGroup: lines.lambda.logGroup,
        filterPattern: FilterPattern.any(
          ...props.reasons.map((reason) => FilterPattern.stringValue('$.reason', '=', reason)),
        ),
        metricNamespace: Stack.of(this).stackName,
        metricName: props.as,
        metricValue: '1',
        dimensions: { reason: '$.reason' },
      });
    }
  }

  /** Number of lines with this reason, in all the logs together. */
  metric(reason: RefusalCode, options: MetricOptions): Metric {
    const { as: metricName } = this.props;
    const namespace = Stack.of(this).stackName;
    return new Metric({ namespace, metricName, dimensionsMap: { reason }, statistic: 'Sum', ...options });
  }
}
