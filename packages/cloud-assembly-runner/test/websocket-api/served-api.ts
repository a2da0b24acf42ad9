/** A WebSocket API with handlers of the test, reachable through an HTTP server and the SDK. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ApiGatewayManagementApiClient } from '@aws-sdk/client-apigatewaymanagementapi';
import { WebSocket, type ClientOptions } from 'ws';
import { createAwsEndpoint, type Credentials } from '../../aws-endpoint';
import { noMeter, type Meter } from '../../billing/meter';
import { noMetrics, type Metrics } from '../../cloudwatch/metrics';
import { parsePolicy } from '../../iam/policy';
import type { Quotas } from '../../quotas';
import { createWebSocketApi, type WebSocketApi } from '../../websocket-api';
import type { WebSocketLimits } from '../../websocket-api/connection';

/** Event of a handler. */
export interface Event {
  readonly requestContext: Readonly<Record<string, unknown>> & { readonly connectionId: string };
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly [name: string]: unknown;
}

export type Handler = (event: Event) => unknown;

export interface ServedApi {
  readonly api: WebSocketApi;
  readonly apiId: string;
  /** `ws://127.0.0.1:<port>` */
  readonly url: string;
  readonly log: readonly string[];
  /** Opens a socket to the stage; rejects with `Unexpected server response: <status>` when refused. */
  connect(query?: string, options?: ClientOptions & { protocols?: string[] }): Promise<WebSocket>;
  /** A client of the management API, with all permissions unless a policy is given. */
  management(policy?: unknown): ApiGatewayManagementApiClient;
  stop(): Promise<void>;
}

export interface ServedOptions {
  readonly routes: Readonly<Record<string, Handler>>;
  /** Routes with a route response. */
  readonly answering?: readonly string[];
  readonly limits?: Partial<WebSocketLimits>;
  readonly settings?: Readonly<Record<string, unknown>>;
  /** Source ARNs that the functions' permissions allow; default: all. */
  readonly permits?: (sourceArn: string) => boolean;
  readonly quotas?: Quotas;
  readonly meter?: Meter;
  readonly metrics?: Metrics;
}

const region = 'eu-central-1';

export async function serveApi({
  routes,
  answering = [],
  limits,
  settings,
  permits,
  quotas,
  meter = noMeter,
  metrics = noMetrics,
}: ServedOptions): Promise<ServedApi> {
  const log: string[] = [];
  const api = createWebSocketApi({
    region,
    accountId: '000000000000',
    lambda: {
      invoke: async (name, event) => (await routes[name.split(':').at(-1) ?? '']?.(event as Event)) ?? null,
      permits: (_function, _principal, sourceArn) => permits?.(sourceArn) ?? true,
    },
    ...(limits && { limits }),
    ...(quotas && { quotas }),
    meter,
    metrics,
    log: (line) => log.push(line),
  });
  const create = async (type: string, logicalId: string, properties: Record<string, unknown>) =>
    (await api.create({ type: `AWS::ApiGatewayV2::${type}`, logicalId, properties, metadata: {} })).ref;

  const apiId = await create('Api', 'Api', {
    ProtocolType: 'WEBSOCKET',
    RouteSelectionExpression: '$request.body.action',
  });
  for (const routeKey of Object.keys(routes)) {
    const functionArn = `arn:aws:lambda:${region}:000000000000:function:${routeKey}`;
    const integration = await create('Integration', `${routeKey}Integration`, {
      ApiId: apiId,
      IntegrationType: 'AWS_PROXY',
      IntegrationUri: `arn:aws:apigateway:${region}:lambda:path/2015-03-31/functions/${functionArn}/invocations`,
    });
    const answers = answering.includes(routeKey);
    const RouteId = await create('Route', `${routeKey}Route`, {
      ApiId: apiId,
      RouteKey: routeKey,
      Target: `integrations/${integration}`,
      ...(answers && { RouteResponseSelectionExpression: '$default' }),
    });
    if (answers)
      await create('RouteResponse', `${routeKey}Response`, { ApiId: apiId, RouteId, RouteResponseKey: '$default' });
  }
  await create('Stage', 'Stage', { ApiId: apiId, StageName: 'live', AutoDeploy: true, ...settings });
  await api.start?.();

  const server = createServer();
  server.on('upgrade', (message, socket, head) => {
    const [path = '', query = ''] = (message.url ?? '').split('?');
    const headers = message.rawHeaders.flatMap((name, index, all) =>
      index % 2 === 0 && name.toLowerCase() !== 'host' ? [[name, all[index + 1] ?? ''] as const] : [],
    );
    const host = ['Host', `${apiId}.execute-api.${region}.amazonaws.com`] as const;
    const request = { method: 'GET', path, query, headers: [host, ...headers], sourceIp: '203.0.113.9' };
    void api.upgrade(request, { message, socket, head }).then((reply) => {
      if (reply)
        socket.end(`HTTP/1.1 ${reply.status} Refused\r\nContent-Length: ${reply.body.length}\r\n\r\n${reply.body}`);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `ws://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const endpoint = createAwsEndpoint(undefined, meter);
  endpoint.add(api);
  await endpoint.start();
  const sockets: WebSocket[] = [];
  const clients: ApiGatewayManagementApiClient[] = [];

  const client = (credentials: Credentials) => {
    const made = new ApiGatewayManagementApiClient({ endpoint: endpoint.url, region, credentials, maxAttempts: 1 });
    clients.push(made);
    return made;
  };

  return {
    api,
    apiId,
    url,
    log,
    connect: (query = '', { protocols = [], ...options } = {}) =>
      new Promise((resolve, reject) => {
        const socket = new WebSocket(`${url}/live${query}`, protocols, options);
        sockets.push(socket);
        socket
          .once('error', reject)
          .once('open', () => resolve(socket.off('error', reject).on('error', () => undefined)));
      }),
    management: (policy) =>
      client(policy === undefined ? endpoint.admin : endpoint.register('fan-out', () => [parsePolicy(policy)])),
    stop: async () => {
      for (const one of clients) one.destroy();
      for (const socket of sockets) socket.terminate();
      await api.stop?.();
      await endpoint.stop();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** The next messages of a socket, as text. */
export function nextMessages(socket: WebSocket, count: number): Promise<string[]> {
  return new Promise((resolve) => {
    const messages: string[] = [];
    const take = (data: Buffer) => {
      messages.push(data.toString());
      if (messages.length < count) return;
      socket.off('message', take);
      resolve(messages);
    };
    socket.on('message', take);
  });
}

export async function nextMessage(socket: WebSocket): Promise<Record<string, unknown>> {
  const [message = ''] = await nextMessages(socket, 1);
  return JSON.parse(message) as Record<string, unknown>;
}

/** Resolves with code and reason when the socket closes. */
export function closing(socket: WebSocket): Promise<{ code: number; reason: string }> {
  return new Promise((resolve) => {
    socket.once('close', (code, reason) => resolve({ code, reason: reason.toString() }));
  });
}
