import { Duration } from 'aws-cdk-lib/core';
import type { IMetric } from 'aws-cdk-lib/aws-cloudwatch';

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
