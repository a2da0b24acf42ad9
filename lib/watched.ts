import { Duration } from 'aws-cdk-lib/core';
import type { IMetric } from 'aws-cdk-lib/aws-cloudwatch';
import type { ApiFunction } from './api-function';

/** Of every alarm: how long its metric is looked at. */
export const period = Duration.minutes(5);

/** A metric, with what partners suffer when it reaches the threshold within a period. */
export interface Watched {
  /** Of the alarm. */
  readonly name: string;
  readonly suffering: string;
  readonly metric: IMetric;
  readonly threshold: number;
}

/** In ms. A record is tried for a quarter of an hour at most, and what is behind it waits. */
const LATE = 60_000;

/** A reader of streams is late when what it reads is a minute old. */
export const late = ({ node, lambda }: ApiFunction, suffering: string): Watched => ({
  name: `${node.id}Late`,
  suffering,
  metric: lambda.metric('IteratorAge', { period, statistic: 'Maximum' }),
  threshold: LATE,
});

/** A function that nobody waits for fails unnoticed. */
export const failing = ({ node, lambda }: ApiFunction, suffering: string, threshold = 1): Watched => ({
  name: `${node.id}Fails`,
  suffering,
  metric: lambda.metricErrors({ period }),
  threshold,
});
