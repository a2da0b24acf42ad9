import { Metric, type IMetric, MathExpression } from 'aws-cdk-lib/aws-cloudwatch';
import type { EndpointTable } from '../rest/endpoint-routes';
import type { RestApi } from '../rest/rest-api';
import type { WebSocketChannels } from '../channels/websocket-api';
import { period } from '../functions/alarm-definitions';
import { tokenMetrics } from './token-metrics';
import type { Table } from 'aws-cdk-lib/aws-dynamodb';
import { tableNames, type TableName } from '../../domain/values/table-names';
import type { Tables } from '../foundation/tables';

/**
 * Graphs of what may be behind several alarms at once. Throttled tables have no alarm of their own: what partners notice of
 * one are failures or lateness.
 */
export const causesView = (tables: Tables): Graph[] => [
  {
    title: 'DynamoDB: throttled requests by table',
    left: tableNames.map((name) => throttles(name, tables[name], tables.indexes[name])),
  },
];

/**
 * Throttled requests to a table and its indexes, which report in a separate dimension. Each metric has data only for periods
 * with throttled requests, and a sum has no data where one operand has none (CloudWatch user guide, "Using metric
 * math", FILL).
 */
function throttles(name: TableName, table: Table, indexes: readonly string[] = []): MathExpression {
  const dimensions = [{}, ...indexes.map((GlobalSecondaryIndexName) => ({ GlobalSecondaryIndexName }))];
  const metrics = dimensions.flatMap((dimension) =>
    ['ReadThrottleEvents', 'WriteThrottleEvents'].map((metricName) =>
      table.metric(metricName, {
        statistic: 'Sum',
        dimensionsMap: { TableName: table.tableName, ...dimension },
      }),
    ),
  );
  // Ids are unique in a graph.
  const usingMetrics = Object.fromEntries(metrics.map((metric, index) => [`${name}${index}`, metric]));
  const expression = Object.keys(usingMetrics)
    .map((id) => `FILL(${id}, 0)`)
    .join(' + ');
  return new MathExpression({ expression, usingMetrics, period, label: name });
}

export interface PartnersViewProps {
  readonly api: RestApi;
  readonly table: EndpointTable;
  readonly sockets: WebSocketChannels;
}

/** A graph of the dashboard; metrics on the right have their own scale. */
export interface Graph {
  readonly title: string;
  readonly left: IMetric[];
  readonly right?: IMetric[];
}

const count = { period, statistic: 'Sum' };
const median = { period, statistic: 'p50' };
const slowestPercent = { period, statistic: 'p99' };

/** Graphs of what partners experience, from metrics that AWS publishes at no cost: calls, tokens, sockets and topics. */
export function partnersView({ api, table, sockets }: PartnersViewProps): Graph[] {
  const stage = api.api.deploymentStage;
  const tokens = tokenMetrics(api, table).map((metric) => ({
    title: 'Tokens: calls and errors, latency in ms on the right',
    left: [metric('Count', count), metric('4XXError', count), metric('5XXError', count)],
    right: [metric('Latency', median), metric('Latency', slowestPercent)],
  }));
  return [
    {
      title: 'REST: calls and errors',
      left: [stage.metricCount(count), stage.metricClientError(count), stage.metricServerError(count)],
    },
    { title: 'REST: latency in ms', left: [stage.metricLatency(median), stage.metricLatency(slowestPercent)] },
    ...tokens,
    {
      title: 'WSS: handshakes, and errors of handshakes and messages',
      left: ['ConnectCount', 'ClientError', 'IntegrationError', 'ExecutionError'].map((name) =>
        sockets.metric(name, count),
      ),
    },
    {
      title: 'WSS: messages in both directions, function latency in ms on the right',
      left: [sockets.metric('MessageCount', count)],
      right: [sockets.metric('IntegrationLatency', slowestPercent)],
    },
    {
      title: 'MQTT, whole account: connects',
      left: ['Success', 'AuthError', 'ClientError', 'ServerError', 'Throttle'].map((result) =>
        iot(`Connect.${result}`, 'MQTT'),
      ),
    },
    {
      title: 'MQTT, whole account: publishes by this service, and to subscribers',
      left: [
        ...['Success', 'ServerError', 'Throttle'].map((result) => iot(`PublishIn.${result}`, 'HTTP')),
        ...['Success', 'Throttle'].map((result) => iot(`PublishOut.${result}`, 'MQTT')),
      ],
    },
    {
      title: 'MQTT, whole account: retained messages by this service',
      left: ['Success', 'ServerError', 'Throttle'].map((result) => iot(`PublishRetained.${result}`, 'HTTP')),
    },
    {
      title: 'MQTT, whole account: subscribes',
      left: ['Success', 'AuthError', 'ServerError', 'Throttle'].map((result) => iot(`Subscribe.${result}`, 'MQTT')),
    },
  ];
}

/**
 * A metric of AWS IoT's message broker. Its only dimension is the protocol, so it counts the whole account (AWS IoT developer
 * guide, "AWS IoT metrics and dimensions", Message broker metrics).
 */
const iot = (metricName: string, Protocol: 'MQTT' | 'HTTP') =>
  new Metric({ namespace: 'AWS/IoT', metricName, dimensionsMap: { Protocol }, label: metricName, ...count });
