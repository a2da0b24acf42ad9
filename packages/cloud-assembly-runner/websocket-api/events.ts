/**
 * Lambda events of WebSocket APIs: API Gateway developer guide, "Set up a WebSocket API integration request" and "Mapping
 * template reference for WebSocket APIs" (`$context`); shapes as the service sends them.
 */
import { randomBytes } from 'node:crypto';
import * as z from 'zod';

/** Constant properties of a connection. */
export const connectionFacts = z.object({
  connectionId: z.string(),
  apiId: z.string(),
  stage: z.string(),
  stageVariables: z.record(z.string(), z.string()),
  /** `<apiId>.execute-api.<region>.amazonaws.com` */
  domainName: z.string(),
  /** In Unix ms. */
  connectedAt: z.number(),
  identity: z.object({ sourceIp: z.string(), userAgent: z.string().exactOptional() }),
});
export type ConnectionFacts = Readonly<z.output<typeof connectionFacts>>;

/** Names and values in order, names as sent. */
export type Pairs = readonly (readonly [name: string, value: string])[];

export interface WebSocketEvent {
  readonly requestContext: { readonly requestId: string; readonly routeKey: string };
  readonly body?: string;
}

/** Event of `$connect`. */
export function connectEvent(facts: ConnectionFacts, headers: Pairs, query: Pairs): WebSocketEvent {
  const search = valuesOf(query);
  return {
    ...valuesAs('headers', 'multiValueHeaders', valuesOf(headers)),
    ...(query.length > 0 && valuesAs('queryStringParameters', 'multiValueQueryStringParameters', search)),
    ...common(facts, '$connect', { eventType: 'CONNECT' }),
  };
}

/** Event of a client message for a route. */
export function messageEvent(facts: ConnectionFacts, routeKey: string, body: string): WebSocketEvent {
  return { ...common(facts, routeKey, { eventType: 'MESSAGE', messageId: awsId() }), body };
}

/** Event of `$disconnect`; code and reason as in a close frame (RFC 6455, section 7.4). */
export function disconnectEvent(facts: ConnectionFacts, code: number, reason: string): WebSocketEvent {
  const headers: Pairs = [
    ['Host', facts.domainName],
    ['x-api-key', ''],
    ['X-Forwarded-For', ''],
    ['x-restapi', ''],
  ];
  return {
    ...valuesAs('headers', 'multiValueHeaders', valuesOf(headers)),
    ...common(facts, '$disconnect', {
      eventType: 'DISCONNECT',
      disconnectStatusCode: code,
      disconnectReason: reason,
    }),
  };
}

/** An id in API Gateway's format for connections, messages and requests: 11 random bytes in URL-safe base64. */
export function awsId(): string {
  return `${randomBytes(11).toString('base64url')}=`;
}

function common(facts: ConnectionFacts, routeKey: string, own: Readonly<Record<string, unknown>>) {
  const { connectionId, apiId, stage, stageVariables, domainName, connectedAt, identity } = facts;
  const now = new Date();
  const requestId = awsId();
  return {
    requestContext: {
      routeKey,
      ...own,
      extendedRequestId: requestId,
      requestTime: clfTime(now),
      messageDirection: 'IN',
      stage,
      connectedAt,
      requestTimeEpoch: now.getTime(),
      identity,
      requestId,
      domainName,
      connectionId,
      apiId,
    },
    ...(Object.keys(stageVariables).length > 0 && { stageVariables }),
    isBase64Encoded: false,
  };
}

function valuesOf(pairs: Pairs): Map<string, string[]> {
  const values = new Map<string, string[]>();
  for (const [name, value] of pairs) values.set(name, [...(values.get(name) ?? []), value]);
  return values;
}

/** Last value of each name under the key `single`, all values under `multi`. */
function valuesAs(single: string, multi: string, values: ReadonlyMap<string, string[]>): Record<string, unknown> {
  return {
    [single]: Object.fromEntries([...values].map(([name, all]) => [name, all.at(-1)])),
    [multi]: Object.fromEntries(values),
  };
}

/** `09/Apr/2015:12:34:56 +0000` */
function clfTime(date: Date): string {
  const [, day, month, year, time] = date.toUTCString().split(/[ ,]+/);
  return `${day}/${month}/${year}:${time} +0000`;
}
