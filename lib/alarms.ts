import { Alarm, ComparisonOperator, MathExpression, Metric, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import type { IMetric } from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import type { Table } from 'aws-cdk-lib/aws-dynamodb';
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
      const metric = throttles(tables[name], tables.indexes[name]);
      alarm(`${name}Throttled`, `${suffering[name]}: DynamoDB throttles the ${name} table.`, metric, 1);
    }
    alarm(
      'RetainedMessages',
      'Partners who subscribe to new channels over MQTT will get no state: the account retains 80 % of what it may.',
      retainedShare(),
      80,
    );
  }
}

/**
 * Calls that DynamoDB refused on a table and its indexes, which report in a dimension of their own. Each metric has data
 * only for periods with refusals, and a sum has none where one of its parts has none (CloudWatch user guide, "Using metric
 * math", FILL).
 */
function throttles(table: Table, indexes: readonly string[] = []): MathExpression {
  const places = [{}, ...indexes.map((GlobalSecondaryIndexName) => ({ GlobalSecondaryIndexName }))];
  const metrics = places.flatMap((place) =>
    ['ReadThrottleEvents', 'WriteThrottleEvents'].map((metricName) =>
      table.metric(metricName, {
        statistic: 'Sum',
        dimensionsMap: { TableName: table.tableName, ...place },
      }),
    ),
  );
  const usingMetrics = Object.fromEntries(metrics.map((metric, index) => [`refused${index}`, metric]));
  const expression = Object.keys(usingMetrics)
    .map((id) => `FILL(${id}, 0)`)
    .join(' + ');
  return new MathExpression({ expression, usingMetrics, period });
}

/** Retained messages in percent of what AWS IoT Core lets the account have (Service Quotas; its usage metric). */
function retainedShare(): MathExpression {
  const retained = new Metric({
    namespace: 'AWS/Usage',
    metricName: 'ResourceCount',
    dimensionsMap: { Service: 'IoT', Type: 'Resource', Resource: 'ApproximateRetainedMessageCount', Class: 'None' },
    statistic: 'Maximum',
  });
  return new MathExpression({
    expression: '100 * retained / SERVICE_QUOTA(retained)',
    usingMetrics: { retained },
    period,
  });
}
