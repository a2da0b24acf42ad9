/** A WebSocket API over functions that are given as they are, reachable through a bare HTTP server and the SDK. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ApiGatewayManagementApiClient } from '@aws-sdk/client-apigatewaymanagementapi';
import { WebSocket, type ClientOptions } from 'ws';
import { createAwsEndpoint, type Credentials } from '../../../local/aws-endpoint';
import { parsePolicy } from '../../../local/policy';
import type { Quotas } from '../../../local/quotas';
import { createWebSocketApi, type WebSocketApi } from '../../../local/websocket-api';
import type { WebSocketLimits } from '../../../local/websocket-api/limits';

/** What functions are called with. */
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
  /** Opens a socket to the stage; rejects with `Unexpected server response: <status>` when it is refused. */
  connect(query?: string, options?: ClientOptions & { protocols?: string[] }): Promise<WebSocket>;
  /** A client of the management API; without a policy document it may do everything. */
  management(policy?: unknown): ApiGatewayManagementApiClient;
  stop(): Promise<void>;
}

export interface ServedOptions {
  readonly routes: Readonly<Record<string, Handler>>;
  /** Routes whose answer is sent to the client. */
  readonly answering?: readonly string[];
  readonly limits?: Partial<WebSocketLimits>;
  readonly settings?: Readonly<Record<string, unknown>>;
  /** SourceArns that the functions permit; default all. */
  readonly permits?: (sourceArn: string) => boolean;
  readonly quotas?: Quotas;
}

const region = 'eu-central-1';

export async function serveApi({
  routes,
  answering = [],
  limits,
  settings,
  permits,
  quotas,
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
  const endpoint = createAwsEndpoint();
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

/** How a socket was closed. */
export function closing(socket: WebSocket): Promise<{ code: number; reason: string }> {
  return new Promise((resolve) => {
    socket.once('close', (code, reason) => resolve({ code, reason: reason.toString() }));
  });
}

/** Resolves once `holds` does; the test's own time limit ends the wait. */
export async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 5));
}
