import { MathExpression, Metric, type IMetric } from 'aws-cdk-lib/aws-cloudwatch';
import type { Table } from 'aws-cdk-lib/aws-dynamodb';
import { Function } from 'aws-cdk-lib/aws-lambda';
import { tableNames, type TableName } from '../../contract/tables';
import type { Endpoints } from '../rest/endpoints';
import type { RestApi } from '../rest/rest-api';
import type { Tables } from '../tables';
import type { Construct } from 'constructs';
import { defineAlarm, period, type AlarmDefinition } from './alarm-definition';

/** Impact on partners while DynamoDB throttles a table. */
const impact: Readonly<Record<TableName, string>> = {
  jobs: 'Creating, reading or changing jobs is slow or returns 500',
  shares: 'Creating, reading or revoking shares is slow or returns 500',
  fleet: 'Listing resources and creating jobs and shares is slow or returns 500',
  partners: 'Tokens are not issued or not accepted: partners get 500 on every call',
  requests: 'Creating jobs and shares, which is rate-limited, is slow or returns 500',
  connections: 'Connecting to a channel is slow or refused, and status messages come late',
  events: 'Status messages come late, and partners who resume are disconnected or refused',
  flights: 'The record of flights has gaps, and reading it is slow or returns 500',
};

export interface ServiceAlarmsProps {
  readonly api: RestApi;
  readonly endpoints: Endpoints;
  readonly tables: Tables;
}

/** Defines the alarms that belong to no single function or queue. */
export function defineServiceAlarms(scope: Construct, { api, endpoints, tables }: ServiceAlarmsProps): void {
  const definitions: AlarmDefinition[] = [
    ...calls(api, endpoints),
    ...tableNames.map((name) => throttled(name, tables)),
    {
      name: 'RetainedMessages',
      group: 'calls',
      impact:
        'Partners who subscribe to new channels over MQTT will get no state: 80 % of the account’s quota of retained messages is used',
      metric: retainedPercent(),
      threshold: 80,
    },
  ];
  for (const definition of definitions) defineAlarm(scope, definition);
}

function calls(api: RestApi, { withoutToken }: Endpoints): AlarmDefinition[] {
  const stage = api.api.deploymentStage;
  const call = (name: string, impact: string, metric: IMetric, threshold: number): AlarmDefinition => ({
    ...{ name, group: 'calls', impact, metric, threshold },
  });
  return [
    call('Failures', 'Partners get 500 on some calls', stage.metricServerError({ period, statistic: 'Sum' }), 5),
    call(
      'NoCapacity',
      'Partners get 500: Lambda’s concurrency for the account is used up',
      Function.metricAllThrottles({ period }),
      1,
    ),
    ...withoutToken.map((route) =>
      call(
        'NoTokens',
        'Partners get no tokens; those they have expire within the hour, and then every call fails',
        api.methodMetric('5XXError', route, { period, statistic: 'Sum' }),
        3,
      ),
    ),
  ];
}

const throttled = (name: TableName, tables: Tables): AlarmDefinition => ({
  name: `${name.charAt(0).toUpperCase()}${name.slice(1)}Throttled`,
  group: 'tables',
  impact: `${impact[name]}: DynamoDB throttles the ${name} table`,
  metric: throttles(tables[name], tables.indexes[name]),
  threshold: 1,
});

/**
 * Throttled requests to a table and its indexes, which report in a separate dimension. Each metric has data only for periods
 * with throttled requests, and a sum has no data where one operand has none (CloudWatch user guide, "Using metric
 * math", FILL).
 */
function throttles(table: Table, indexes: readonly string[] = []): MathExpression {
  const dimensions = [{}, ...indexes.map((GlobalSecondaryIndexName) => ({ GlobalSecondaryIndexName }))];
  const metrics = dimensions.flatMap((dimension) =>
    ['ReadThrottleEvents', 'WriteThrottleEvents'].map((metricName) =>
      table.metric(metricName, {
        statistic: 'Sum',
        dimensionsMap: { TableName: table.tableName, ...dimension },
      }),
    ),
  );
  const usingMetrics = Object.fromEntries(metrics.map((metric, index) => [`throttled${index}`, metric]));
  const expression = Object.keys(usingMetrics)
    .map((id) => `FILL(${id}, 0)`)
    .join(' + ');
  return new MathExpression({ expression, usingMetrics, period });
}

/** Retained messages in percent of AWS IoT Core's quota for the account (Service Quotas; its usage metric). */
function retainedPercent(): MathExpression {
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
