/**
 * A running stage: routes handshakes, messages and disconnects to functions. API Gateway developer guide, "Lambda proxy
 * integrations for WebSocket APIs".
 */
import * as z from 'zod';
import type { Functions } from '../api-gateway/integrations/functions';
import { createThrottle } from '../api-gateway/throttle';
import { noMetrics, type Metrics } from '../cloudwatch/metrics';
import { noQuotas, type Quotas } from '../quotas';
import type { Route, StageResources } from './resources';
import {
  awsId,
  connectEvent,
  disconnectEvent,
  messageEvent,
  type ConnectionFacts,
  type Pairs,
  type WebSocketEvent,
} from './events';
import { FunctionError } from '../lambda';

/** Result of `$connect`: a status of 200 to 299 accepts the client, with the subprotocol that the function chose. */
export interface ConnectResult {
  readonly status: number;
  readonly protocol?: string;
}

/** No promise rejects: failures are sent to the client and logged. */
export interface ServedStage {
  readonly apiId: string;
  readonly name: string;
  readonly variables: Readonly<Record<string, string>>;
  /** `arn:aws:execute-api:<region>:<account>:<apiId>/<stage>` */
  readonly arn: string;
  /** Publishes a metric of the stage. */
  publish(metric: StageMetric, value: number): void;
  connect(facts: ConnectionFacts, headers: Pairs, query: Pairs): Promise<ConnectResult>;
  /** Resolves with the response for the client. */
  message(facts: ConnectionFacts, text: string): Promise<string | undefined>;
  disconnect(facts: ConnectionFacts, code: number, reason: string): Promise<void>;
}

/** API Gateway developer guide, "Monitor WebSocket API execution with CloudWatch metrics". */
type StageMetric = 'ConnectCount' | 'MessageCount' | 'ClientError' | 'IntegrationError' | 'ExecutionError';

/** Serves a stage; `apiArn` is the ARN of its API. */
export function serveStage(
  { stage, apiId, routes, select }: StageResources,
  apiArn: string,
  functions: Functions,
  quotas: Pick<Quotas, 'admits'> = noQuotas,
  metrics: Metrics = noMetrics,
) {
  const arn = `${apiArn}/${stage.StageName}`;
  const throttles = new Map([...routes.keys()].map((routeKey) => [routeKey, throttleOf(routeKey)]));

  function throttleOf(routeKey: string) {
    const { ThrottlingRateLimit, ThrottlingBurstLimit } = {
      ...stage.DefaultRouteSettings,
      ...stage.RouteSettings[routeKey],
    };
    return createThrottle({ RateLimit: ThrottlingRateLimit, BurstLimit: ThrottlingBurstLimit });
  }

  const publish = (metric: StageMetric, value: number) =>
    metrics.put('AWS/ApiGateway', metric, value, { ApiId: apiId, Stage: stage.StageName });

  function admits(routeKey: string): boolean {
    const isAdmitted = quotas.admits('apiGatewayRequests') && (throttles.get(routeKey)?.admits(routeKey) ?? true);
    publish('ClientError', Number(!isAdmitted));
    return isAdmitted;
  }

  /** The page does not say where a function that fails counts: here as an integration that returns a 5XX. */
  async function call(route: Route, event: WebSocketEvent): Promise<IntegrationResult> {
    try {
      const result = await callRoute(route, `${arn}/${route.routeKey}`, event, functions);
      publish('IntegrationError', Number(result.statusCode >= 400));
      publish('ExecutionError', 0);
      return result;
    } catch (error) {
      const isOfFunction = error instanceof IntegrationFailure && error.status === 502;
      publish(isOfFunction ? 'IntegrationError' : 'ExecutionError', 1);
      throw error;
    }
  }

  /** Clients can't select routes that start with a dollar sign. */
  function routeFor(text: string): Route | undefined {
    const wanted = select(text) ?? '$default';
    return (wanted.startsWith('$') ? undefined : routes.get(wanted)) ?? routes.get('$default');
  }

  const served: ServedStage = {
    apiId,
    name: stage.StageName,
    variables: stage.StageVariables,
    arn,
    publish,

    async connect(facts, headers, query) {
      const route = routes.get('$connect');
      if (!route) return { status: 200 };
      if (!admits('$connect')) return { status: 429 };
      publish('ConnectCount', 1);
      try {
        return connectResult(await call(route, connectEvent(facts, headers, query)));
      } catch (error) {
        if (error instanceof IntegrationFailure) return { status: error.status };
        throw error;
      }
    },

    async message(facts, text) {
      const route = routeFor(text);
      if (!route) {
        publish('ClientError', 1);
        return errorMessage('Forbidden', facts, awsId());
      }
      if (!admits(route.routeKey)) return errorMessage('Too Many Requests', facts, awsId());
      const event = messageEvent(facts, route.routeKey, text);
      try {
        const { body } = await call(route, event);
        return (route.returnsResponse && body) || undefined;
      } catch {
        return errorMessage('Internal server error', facts, event.requestContext.requestId);
      }
    },

    async disconnect(facts, code, reason) {
      const route = routes.get('$disconnect');
      if (!route || !admits('$disconnect')) return;
      await call(route, disconnectEvent(facts, code, reason)).catch(() => undefined);
    },
  };
  return served;
}

function connectResult({ statusCode, headers }: IntegrationResult): ConnectResult {
  const protocol = Object.entries(headers ?? {}).find(([name]) => name.toLowerCase() === 'sec-websocket-protocol')?.[1];
  return { status: statusCode, ...(protocol !== undefined && { protocol }) };
}

function errorMessage(message: string, { connectionId }: ConnectionFacts, requestId: string): string {
  return JSON.stringify({ message, connectionId, requestId });
}

const output = z.object({
  statusCode: z.coerce.number().int().min(100).max(599),
  headers: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()]).transform(String)).nullish(),
  body: z.string().nullish(),
});

type IntegrationResult = z.infer<typeof output>;

/** The function gave no valid response; a handshake is refused with `status`. */
class IntegrationFailure extends Error {
  constructor(readonly status: 500 | 502 | 504) {
    super(`Integration failure ${status}`);
    this.name = 'IntegrationFailure';
  }
}

/** Invokes a route's function on behalf of `sourceArn`; rejects with IntegrationFailure only. */
async function callRoute(
  { functionArn, timeoutMs }: Route,
  sourceArn: string,
  event: WebSocketEvent,
  functions: Functions,
): Promise<IntegrationResult> {
  const result = await within(timeoutMs, functions.invoke(functionArn, sourceArn, event)).catch((error: unknown) => {
    if (error instanceof IntegrationFailure) throw error;
    // The function failed, or there is no permission to invoke it.
    throw new IntegrationFailure(error instanceof FunctionError ? 502 : 500);
  });
  const parsed = output.safeParse(result);
  if (parsed.success) return parsed.data;
  functions.log(
    `Execution failed: malformed Lambda proxy response of ${functionArn}: ${z.prettifyError(parsed.error)}`,
  );
  throw new IntegrationFailure(502);
}

async function within<T>(limitMs: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new IntegrationFailure(504)), limitMs);
  });
  try {
    return await Promise.race([work, limit]);
  } finally {
    clearTimeout(timer);
  }
}
