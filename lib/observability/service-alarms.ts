import { MathExpression, Metric, type IMetric } from 'aws-cdk-lib/aws-cloudwatch';
import type { Table } from 'aws-cdk-lib/aws-dynamodb';
import { Function } from 'aws-cdk-lib/aws-lambda';
import type { TableName } from '../../contract/endpoint';
import type { Endpoints } from '../rest/endpoints';
import type { Failures } from '../functions/dead-letter-queue';
import type { RestApi } from '../rest/rest-api';
import type { Tables } from '../tables';
import { period, type AlarmDefinition } from './alarm-definition';

/** What partners suffer when DynamoDB refuses more on a table. */
const impact: Readonly<Record<TableName, string>> = {
  jobs: 'Creating, reading or changing jobs is slow or answers 500',
  shares: 'Creating, reading or revoking shares is slow or answers 500',
  fleet: 'Resources, new jobs and new shares are slow or answer 500',
  partners: 'Tokens are not issued or not accepted: partners get 500 on any call',
  requests: 'Creating jobs and shares, which counts calls, is slow or answers 500',
  connections: 'Connecting to a channel is slow or refused, and status messages come late',
};

export interface ServiceAlarmsProps {
  readonly api: RestApi;
  readonly endpoints: Endpoints;
  readonly tables: Tables;
  readonly failures: readonly Failures[];
  /** What the parts of the service watch themselves. */
  readonly watched: readonly AlarmDefinition[];
}

/** Everything that is watched, each with what partners suffer: the one list that alarms and dashboard are made from. */
export function serviceAlarms({
  api,
  endpoints,
  tables,
  failures,
  watched,
}: ServiceAlarmsProps): readonly AlarmDefinition[] {
  return [
    ...calls(api, endpoints),
    ...failures.map(waiting),
    ...watched,
    ...(Object.keys(impact) as TableName[]).map((name) => throttled(name, tables)),
    {
      name: 'RetainedMessages',
      group: 'calls',
      impact:
        'Partners who subscribe to new channels over MQTT will get no state: the account retains 80 % of what it may',
      metric: retainedShare(),
      threshold: 80,
    },
  ];
}

function calls({ api }: RestApi, { withoutToken }: Endpoints): AlarmDefinition[] {
  const stage = api.deploymentStage;
  const call = (name: string, missed: string, metric: IMetric, threshold: number): AlarmDefinition => ({
    ...{ name, group: 'calls', impact: missed, metric, threshold },
  });
  return [
    call('Failures', 'Partners get 500 on some call', stage.metricServerError({ period, statistic: 'Sum' }), 5),
    call(
      'NoCapacity',
      'Partners get 500: all the concurrency that Lambda grants this account is taken',
      Function.metricAllThrottles({ period }),
      1,
    ),
    ...withoutToken.map((method) =>
      call(
        'NoTokens',
        'Partners get no token; those they hold expire within the hour, and then nothing works for them',
        method.metricServerError(stage, { period, statistic: 'Sum' }),
        3,
      ),
    ),
  ];
}

const waiting = ({ queue, impact: missed }: Failures): AlarmDefinition => ({
  name: `${queue.node.scope?.node.id ?? ''}Failures`,
  group: 'queues',
  impact: `${missed}: the queue names what failed`,
  metric: queue.metricApproximateNumberOfMessagesVisible({ period, statistic: 'Maximum' }),
  threshold: 1,
});

const throttled = (name: TableName, tables: Tables): AlarmDefinition => ({
  name: `${name}Throttled`,
  group: 'tables',
  impact: `${impact[name]}: DynamoDB throttles the ${name} table`,
  metric: throttles(tables[name], tables.indexes[name]),
  threshold: 1,
});

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
