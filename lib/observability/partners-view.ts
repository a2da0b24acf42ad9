import { Metric, type IMetric } from 'aws-cdk-lib/aws-cloudwatch';
import type { Endpoints } from '../rest/endpoints';
import type { RestApi } from '../rest/rest-api';
import type { Sockets } from '../realtime/websocket-api';
import { period } from './alarm-definition';

export interface PartnersViewProps {
  readonly api: RestApi;
  readonly endpoints: Endpoints;
  readonly sockets: Sockets;
}

/** A graph of the dashboard; what is on the right has a scale of its own. */
export interface Graph {
  readonly title: string;
  readonly left: IMetric[];
  readonly right?: IMetric[];
}

const count = { period, statistic: 'Sum' };
const half = { period, statistic: 'p50' };
const slowest = { period, statistic: 'p99' };

/** What partners feel first, in numbers that AWS keeps anyway: calls, tokens, sockets and topics. */
export function partnersView({ api, endpoints, sockets }: PartnersViewProps): Graph[] {
  const stage = api.api.deploymentStage;
  const tokens = endpoints.withoutToken.map((method) => ({
    title: 'Tokens: calls and errors, latency in ms on the right',
    left: [
      method.metricCount(stage, count),
      method.metricClientError(stage, count),
      method.metricServerError(stage, count),
    ],
    right: [method.metricLatency(stage, half), method.metricLatency(stage, slowest)],
  }));
  return [
    {
      title: 'REST: calls and errors',
      left: [stage.metricCount(count), stage.metricClientError(count), stage.metricServerError(count)],
    },
    { title: 'REST: latency in ms', left: [stage.metricLatency(half), stage.metricLatency(slowest)] },
    ...tokens,
    {
      title: 'WSS: handshakes, and errors of handshakes and messages',
      left: ['ConnectCount', 'ClientError', 'IntegrationError', 'ExecutionError'].map((name) =>
        sockets.metric(name, count),
      ),
    },
    {
      title: 'WSS: messages both ways, latency of functions in ms on the right',
      left: [sockets.metric('MessageCount', count)],
      right: [sockets.metric('IntegrationLatency', slowest)],
    },
    {
      title: 'MQTT, all of the account: connects',
      left: ['Success', 'AuthError', 'ClientError', 'ServerError', 'Throttle'].map((end) =>
        iot(`Connect.${end}`, 'MQTT'),
      ),
    },
    {
      title: 'MQTT, all of the account: publishes in by this service, out to subscribers',
      left: [
        ...['Success', 'ServerError', 'Throttle'].map((end) => iot(`PublishIn.${end}`, 'HTTP')),
        ...['Success', 'Throttle'].map((end) => iot(`PublishOut.${end}`, 'MQTT')),
      ],
    },
    {
      title: 'MQTT, all of the account: subscribes',
      left: ['Success', 'AuthError', 'ServerError', 'Throttle'].map((end) => iot(`Subscribe.${end}`, 'MQTT')),
    },
  ];
}

/**
 * A metric of AWS IoT's message broker: it has no dimension but the protocol, and so counts all of the account (AWS IoT
 * developer guide, "AWS IoT metrics and dimensions", Message broker metrics).
 */
const iot = (metricName: string, Protocol: 'MQTT' | 'HTTP') =>
  new Metric({ namespace: 'AWS/IoT', metricName, dimensionsMap: { Protocol }, label: metricName, ...count });
