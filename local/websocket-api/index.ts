/**
 * Amazon API Gateway's WebSocket APIs on this machine: handshakes that are handed to it become connections, whose
 * messages go to functions and which code reaches through `@connections`. Each part names the AWS page that it follows.
 */
import { join } from 'node:path';
import { createFunctions } from '../api-gateway/functions';
import { createThrottle } from '../api-gateway/throttle';
import type { Lambda } from '../lambda';
import { openLeftOpen } from '../left-open';
import { noQuotas, type Quotas } from '../quotas';
import type { AwsApi, Service } from '../service';
import { createApiParts } from './api-parts';
import { openConnection, type Connection } from './connection';
import { awsId, connectionFacts, type ConnectionFacts } from './events';
import {
  createHandshakes,
  eventHeaders,
  headerOf,
  isWebSocketRequest,
  queryPairs,
  type ApiRequest,
  type UpgradedSocket,
} from './handshake';
import { DEFAULT_LIMITS, type WebSocketLimits } from './limits';
import { createManagement } from './management';
import { serveStage, type ServedStage } from './stage';

export type { ApiRequest, UpgradedSocket } from './handshake';

export interface WebSocketApiOptions {
  readonly region: string;
  readonly accountId: string;
  readonly lambda: Pick<Lambda, 'invoke' | 'permits'>;
  readonly limits?: Partial<WebSocketLimits>;
  /** Default: none. Messages in both directions are requests to API Gateway. */
  readonly quotas?: Pick<Quotas, 'admits'>;
  /** Where it is noted who is connected; without it those whom a killed process leaves are never said to have gone. */
  readonly dataFolder?: string;
  /** Takes a line of the execution log; no line holds a query, a header or a body. */
  log(line: string): void;
}

/** An answer that is no connection. */
export interface HttpReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface WebSocketApi extends Service, AwsApi {
  /** Whether one of its APIs is behind this domain, `<apiId>.execute-api.<region>.amazonaws.com`. */
  serves(domain: string): boolean;
  /** Makes a connection of an Upgrade request to `/<stage>`, or gives the answer that refuses it. Never rejects. */
  upgrade(request: ApiRequest, upgraded: UpgradedSocket): Promise<HttpReply | undefined>;
  /** Answers a plain request, which can only be a call of `@connections` that nobody signed. */
  serve(request: ApiRequest): Promise<HttpReply>;
  /** How many connections are open. */
  readonly connectionCount: number;
}

/** On stop, so long `$disconnect` functions get to end. */
const STOP_PATIENCE_MS = 2_000;

/** API Gateway for the WebSocket APIs of a template. */
export function createWebSocketApi(options: WebSocketApiOptions): WebSocketApi {
  const limits = { ...DEFAULT_LIMITS, ...options.limits };
  const { quotas = noQuotas } = options;
  const parts = createApiParts(options.region);
  const handshakes = createHandshakes();
  const functions = createFunctions(options.lambda, options.log);
  const newConnections = createThrottle({ RateLimit: limits.connectionsPerSecond });
  const connections = new Map<string, { readonly connection: Connection; readonly stage: ServedStage }>();
  const disconnecting = new Set<Promise<void>>();
  const noted = openLeftOpen(
    options.dataFolder && join(options.dataFolder, 'websocket-connections.jsonl'),
    connectionFacts,
  );
  let stages: readonly ServedStage[] = [];

  const apiArn = (apiId: string) => `arn:aws:execute-api:${options.region}:${options.accountId}:${apiId}`;
  const domainOf = (apiId: string) => `${apiId}.execute-api.${options.region}.amazonaws.com`;

  function stageFor({ path, headers }: ApiRequest): ServedStage | undefined {
    const host = headerOf(headers, 'host')?.toLowerCase();
    const name = path.replace(/^\//, '').replace(/\/$/, '');
    return stages.find((stage) => domainOf(stage.apiId) === host && stage.name === name);
  }

  /** Says that a connection is over; until that has been said, it is noted as open. */
  function end(stage: ServedStage, facts: ConnectionFacts, code: number, reason: string): void {
    const call = stage.disconnect(facts, code, reason).finally(() => {
      noted.closed(facts.connectionId);
      disconnecting.delete(call);
    });
    disconnecting.add(call);
  }

  function open(stage: ServedStage, facts: ConnectionFacts, upgraded: UpgradedSocket, protocol?: string): void {
    const onEnd = (code: number, reason: string) => {
      connections.delete(facts.connectionId);
      end(stage, facts, code, reason);
    };
    const socket = handshakes.complete(upgraded, protocol);
    if (!socket) {
      onEnd(1006, 'Connection Closed Abnormally');
      return;
    }
    const onMessage = (text: string) => stage.message(facts, text);
    const both = { socket, transport: upgraded.socket };
    connections.set(facts.connectionId, {
      connection: openConnection(facts, both, limits, { onMessage, onEnd }),
      stage,
    });
  }

  return {
    ...createManagement({
      get: (id) => connections.get(id)?.connection,
      quotas,
      stageArn: (id, name) =>
        (connections.get(id)?.stage ?? stages.find((one) => one.name === name) ?? stages[0])?.arn ?? apiArn('*'),
    }),
    types: parts.types,
    create: (resource) => parts.create(resource),

    get connectionCount() {
      return connections.size;
    },

    serves: (domain) => parts.has(domain.slice(0, domain.indexOf('.'))) && domain.endsWith(domainOf('')),
    serve: () => Promise.resolve(MISSING_TOKEN),

    async upgrade(request, upgraded) {
      const { message, socket } = upgraded;
      socket.on('error', () => socket.destroy());
      if (!isWebSocketRequest(message.method, message.headers)) return refusal(400);
      const stage = stageFor(request);
      const query = queryPairs(request.query);
      if (!stage) return refusal(403);
      if (!query) return refusal(400);
      if (!newConnections.admits('')) return refusal(429);
      const userAgent = headerOf(request.headers, 'user-agent');
      const facts: ConnectionFacts = {
        connectionId: awsId(),
        apiId: stage.apiId,
        stage: stage.name,
        stageVariables: stage.variables,
        domainName: domainOf(stage.apiId),
        connectedAt: Date.now(),
        identity: { sourceIp: request.sourceIp, ...(userAgent !== undefined && { userAgent }) },
      };
      // Before the function is called: it may let in whom this process does not live to serve.
      noted.opened(facts.connectionId, facts);
      const { status, protocol } = await stage.connect(facts, eventHeaders(request), query);
      if (status < 200 || status > 299) {
        noted.closed(facts.connectionId);
        return refusal(status);
      }
      open(stage, facts, upgraded, protocol);
      return undefined;
    },

    start() {
      stages = parts.stages().map((one) => serveStage(one, apiArn(one.apiId), functions, quotas));
      // In an account nothing kills API Gateway together with what is behind it.
      for (const facts of noted.left) {
        const stage = stages.find((one) => one.apiId === facts.apiId && one.name === facts.stage);
        if (stage) end(stage, facts, 1006, 'Connection Closed Abnormally');
        else noted.closed(facts.connectionId);
      }
      return Promise.resolve();
    },

    async stop() {
      for (const { connection } of [...connections.values()]) connection.close(1001, 'Going away');
      let timer: NodeJS.Timeout | undefined;
      const patience = new Promise<void>((resolve) => (timer = setTimeout(resolve, STOP_PATIENCE_MS)));
      await Promise.race([Promise.all(disconnecting), patience]);
      clearTimeout(timer);
      noted.end();
    },
  };
}

const MISSING_TOKEN: HttpReply = {
  status: 403,
  headers: { 'content-type': 'application/json', 'x-amzn-errortype': 'MissingAuthenticationTokenException' },
  body: JSON.stringify({ message: 'Missing Authentication Token' }),
};

function refusal(status: number): HttpReply {
  return { status, headers: {}, body: '' };
}
