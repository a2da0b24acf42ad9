/**
 * Amazon API Gateway's WebSocket APIs: handshakes become connections, whose messages go to functions and to which code
 * posts through `@connections`. Each part names the AWS page that it follows.
 */
import { join } from 'node:path';
import { createFunctions } from '../api-gateway/integrations/functions';
import { createThrottle } from '../api-gateway/throttle';
import { CLIENTS, noMeter, stepsOf, type Charges, type Meter } from '../billing/meter';
import { noMetrics, type Metrics } from '../cloudwatch/metrics';
import type { Lambda } from '../lambda';
import { openConnectionLog } from '../data-folder/connection-log';
import { noQuotas, type Quotas } from '../quotas';
import type { AwsApi, Service } from '../service';
import { createApiResources } from './resources';
import { DEFAULT_LIMITS, openConnection, type Connection, type WebSocketLimits } from './connection';
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
  /** Default: none. */
  readonly meter?: Meter;
  /** Default: none. */
  readonly metrics?: Metrics;
  /** Stores the log of open connections; without it, connections of a killed process get no `$disconnect`. */
  readonly dataFolder?: string;
  /** Receives a line of the execution log; no line contains a query, a header or a body. */
  log(line: string): void;
}

/** HTTP response to a refused handshake or a plain request. */
export interface HttpReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface WebSocketApi extends Service, AwsApi {
  /** Whether a domain, `<apiId>.execute-api.<region>.amazonaws.com`, is that of one of its APIs. */
  serves(domain: string): boolean;
  /** Accepts an Upgrade request to `/<stage>`. @returns the response when it is refused. Never rejects. */
  upgrade(request: ApiRequest, upgraded: UpgradedSocket): Promise<HttpReply | undefined>;
  /** Answers a plain request, which can only be an unsigned call of `@connections`. */
  serve(request: ApiRequest): Promise<HttpReply>;
  /** Number of open connections. */
  readonly connectionCount: number;
}

/** Unit of the bytes that are sent to a client, by the way that they take. */
type Transfer = 'cloudfront:bytesOut' | 'transfer:bytesOut';

interface OpenConnection {
  readonly connection: Connection;
  readonly stage: ServedStage;
  readonly transfer: Transfer;
}

/** A handshake that `$connect` has accepted. */
interface Opened {
  readonly upgraded: UpgradedSocket;
  readonly protocol: string | undefined;
  readonly transfer: Transfer;
}

/** Time for `$disconnect` functions to end on stop. */
const STOP_TIMEOUT_MS = 2_000;

/** API Gateway for the WebSocket APIs of a template. */
export function createWebSocketApi(options: WebSocketApiOptions): WebSocketApi {
  const limits = { ...DEFAULT_LIMITS, ...options.limits };
  const { quotas = noQuotas, meter = noMeter, metrics = noMetrics } = options;
  const resources = createApiResources(options.region);
  const handshakes = createHandshakes();
  const functions = createFunctions(options.lambda, options.log);
  const newConnections = createThrottle({ RateLimit: limits.connectionsPerSecond });
  const connections = new Map<string, OpenConnection>();
  const disconnecting = new Set<Promise<void>>();
  const connectionLog = openConnectionLog(
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

  /** Invokes `$disconnect`; the connection stays in the log of open connections until that is done. */
  function disconnect(stage: ServedStage, facts: ConnectionFacts, code: number, reason: string): void {
    const call = stage.disconnect(facts, code, reason).finally(() => {
      connectionLog.closed(facts.connectionId);
      disconnecting.delete(call);
    });
    disconnecting.add(call);
  }

  function open(stage: ServedStage, facts: ConnectionFacts, opened: Opened): void {
    const { upgraded, protocol, transfer } = opened;
    const stopMinutes = meter.chargeWhile(CLIENTS, 'websocket:minutes');
    const onEnd = (code: number, reason: string) => {
      stopMinutes();
      connections.delete(facts.connectionId);
      disconnect(stage, facts, code, reason);
    };
    const socket = handshakes.accept(upgraded, protocol);
    if (!socket) {
      onEnd(1006, 'Connection Closed Abnormally');
      return;
    }
    const onMessage = async (text: string) => {
      stage.publish('MessageCount', 1);
      meter.charge(CLIENTS, { 'websocket:messages': stepsOf(Buffer.byteLength(text), METERED_BYTES) });
      const reply = await stage.message(facts, text);
      if (reply !== undefined) {
        stage.publish('MessageCount', 1);
        meter.charge(CLIENTS, chargesOf(Buffer.byteLength(reply), transfer));
      }
      return reply;
    };
    const both = { socket, transport: upgraded.socket };
    connections.set(facts.connectionId, {
      connection: openConnection(facts, both, limits, { onMessage, onEnd }),
      stage,
      transfer,
    });
  }

  return {
    ...createManagement({
      get: (id) => connections.get(id)?.connection,
      quotas,
      chargesOf: (id, bytes) => chargesOf(bytes, connections.get(id)?.transfer),
      posted: (id) => connections.get(id)?.stage.publish('MessageCount', 1),
      stageArn: (id, name) =>
        (connections.get(id)?.stage ?? stages.find((one) => one.name === name) ?? stages[0])?.arn ?? apiArn('*'),
    }),
    types: resources.types,
    create: (resource) => resources.create(resource),

    get connectionCount() {
      return connections.size;
    },

    serves: (domain) => resources.has(domain.slice(0, domain.indexOf('.'))) && domain.endsWith(domainOf('')),
    serve: () => Promise.resolve(MISSING_AUTHENTICATION_TOKEN),

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
      // Logged before `$connect`: its function may admit a connection, and this process may be killed before it opens.
      connectionLog.opened(facts.connectionId, facts);
      const { status, protocol } = await stage.connect(facts, eventHeaders(request), query);
      if (status < 200 || status > 299) {
        connectionLog.closed(facts.connectionId);
        return refusal(status);
      }
      open(stage, facts, { upgraded, protocol, transfer: transferOf(headerOf(request.headers, 'via')) });
      return undefined;
    },

    start() {
      stages = resources.stages().map((one) => serveStage(one, apiArn(one.apiId), functions, quotas, metrics));
      // Connections that a killed process left open: in an account API Gateway survives and sends their `$disconnect`.
      for (const facts of connectionLog.unclosed) {
        const stage = stages.find((one) => one.apiId === facts.apiId && one.name === facts.stage);
        if (stage) disconnect(stage, facts, 1006, 'Connection Closed Abnormally');
        else connectionLog.closed(facts.connectionId);
      }
      return Promise.resolve();
    },

    async stop() {
      for (const { connection } of [...connections.values()]) connection.close(1001, 'Going away');
      let timer: NodeJS.Timeout | undefined;
      const patience = new Promise<void>((resolve) => (timer = setTimeout(resolve, STOP_TIMEOUT_MS)));
      await Promise.race([Promise.all(disconnecting), patience]);
      clearTimeout(timer);
      connectionLog.end();
    },
  };
}

/** API Gateway pricing: messages are metered in increments of 32 KB. */
const METERED_BYTES = 32 * 1024;

/** Of a message to a client. */
function chargesOf(bytes: number, transfer: Transfer = 'transfer:bytesOut'): Charges {
  return { 'websocket:messages': stepsOf(bytes, METERED_BYTES), [transfer]: bytes };
}

/**
 * CloudFront sends what passes through it, and says so in `Via` (CloudFront developer guide, "HTTP request headers and
 * CloudFront behavior").
 */
const transferOf = (via: string | undefined): Transfer =>
  via?.includes('(CloudFront)') ? 'cloudfront:bytesOut' : 'transfer:bytesOut';

const MISSING_AUTHENTICATION_TOKEN: HttpReply = {
  status: 403,
  headers: { 'content-type': 'application/json', 'x-amzn-errortype': 'MissingAuthenticationTokenException' },
  body: JSON.stringify({ message: 'Missing Authentication Token' }),
};

function refusal(status: number): HttpReply {
  return { status, headers: {}, body: '' };
}
