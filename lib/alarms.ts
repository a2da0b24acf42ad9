import { Alarm, ComparisonOperator, MathExpression, TreatMissingData, type IMetric } from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { Function } from 'aws-cdk-lib/aws-lambda';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { Construct } from 'constructs';
import type { TableName } from '../contract/endpoint';
import type { Endpoints } from './endpoints';
import type { RestApi } from './rest-api';
import type { Failures } from './failure-queue';
import type { Tables } from './tables';
import { period, type Watched } from './watched';

/** What partners suffer when DynamoDB refuses more on a table. */
const suffering: Readonly<Record<TableName, string>> = {
  jobs: 'Creating, reading or changing jobs is slow or answers 500',
  shares: 'Creating, reading or revoking shares is slow or answers 500',
  fleet: 'Resources, new jobs and new shares are slow or answer 500',
  partners: 'Tokens are not issued or not accepted: partners get 500 on any call',
  requests: 'Creating jobs and shares, which counts calls, is slow or answers 500',
  connections: 'Connecting to a channel is slow or refused, and status messages come late',
};

export interface AlarmsProps {
  readonly api: RestApi;
  readonly endpoints: Endpoints;
  readonly tables: Tables;
  readonly failures: readonly Failures[];
  readonly watched: readonly Watched[];
  /** ARN of the SNS topic to notify. */
  readonly topicArn: string | undefined;
}

/** Few alarms, each of which says what partners suffer when it fires. */
export class Alarms extends Construct {
  constructor(scope: Construct, id: string, { api, endpoints, tables, failures, watched, topicArn }: AlarmsProps) {
    super(scope, id);
    const stage = api.api.deploymentStage;
    const action = topicArn === undefined ? undefined : new SnsAction(Topic.fromTopicArn(this, 'Topic', topicArn));
    const alarm = (name: string, alarmDescription: string, metric: IMetric, threshold: number) => {
      const made = new Alarm(this, name, {
        alarmDescription,
        metric,
        threshold,
        evaluationPeriods: 1,
        comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
        treatMissingData: TreatMissingData.NOT_BREACHING,
      });
      if (action) made.addAlarmAction(action);
    };

    alarm('Failures', 'Partners get 500 on some call.', stage.metricServerError({ period, statistic: 'Sum' }), 5);
    alarm(
      'NoCapacity',
      'Partners get 500: all the concurrency that Lambda grants this account is taken.',
      Function.metricAllThrottles({ period }),
      1,
    );
    for (const method of endpoints.withoutToken) {
      alarm(
        'NoTokens',
        'Partners get no token; those they hold expire within the hour, and then nothing works for them.',
        method.metricServerError(stage, { period, statistic: 'Sum' }),
        3,
      );
    }
    for (const { queue, suffering: missed } of failures) {
      const waiting = queue.metricApproximateNumberOfMessagesVisible({ period, statistic: 'Maximum' });
      alarm(`${queue.node.scope?.node.id ?? ''}Failures`, `${missed}: the queue names what failed.`, waiting, 1);
    }
    for (const { name, suffering: missed, metric, threshold } of watched) alarm(name, `${missed}.`, metric, threshold);
    for (const name of Object.keys(suffering) as TableName[]) {
      const sum = { period, statistic: 'Sum' };
      const metric = new MathExpression({
        expression: 'reads + writes',
        usingMetrics: {
          reads: tables[name].metric('ReadThrottleEvents', sum),
          writes: tables[name].metric('WriteThrottleEvents', sum),
        },
        period,
      });
      alarm(`${name}Throttled`, `${suffering[name]}: DynamoDB throttles the ${name} table.`, metric, 1);
    }
  }
}
