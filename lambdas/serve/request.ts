import type { APIGatewayProxyEvent, Context } from 'aws-lambda';
import type * as z from 'zod/mini';
import type { Endpoint } from '../../contract/endpoint';
import type { endpoints, EndpointKey } from '../../contract/endpoints';
import type { FirstAnswer } from '../../data/requests/idempotency';
import type { Organisation } from '../../domain/id';
import type { RefusalCode } from '../../domain/refusal';

type Table = typeof endpoints;
type PathParameter<Key extends string> = Key extends `${string}{${infer Name}}${infer Rest}`
  ? Name | PathParameter<Rest>
  : never;
type Part<Key extends EndpointKey, Name extends 'query' | 'body'> =
  Table[Key]['request'] extends Record<Name, infer Schema extends z.ZodMiniType> ? z.output<Schema> : undefined;

/** Who calls. */
export interface Caller {
  readonly clientId: string;
  readonly organisation: Organisation;
}

/** All that a handler gets to see of a request. */
export interface ServedRequest<Key extends EndpointKey> {
  readonly caller: Table[Key]['scope'] extends null ? undefined : Caller;
  readonly path: Readonly<Record<PathParameter<Key>, string>>;
  readonly query: Part<Key, 'query'>;
  readonly body: Part<Key, 'body'>;
  /** Moment of the request, ISO 8601. */
  readonly now: string;
  readonly requestId: string;
  /** The version that `If-Match` names. */
  readonly ifVersion: number | undefined;
  /** Id (not value) of the API key that API Gateway accepted. */
  readonly apiKeyId: string | undefined;
  /** What to keep beside a created thing, so that its answer is given again; undefined without an idempotency key. */
  readonly firstAnswer: (reply: Reply<Key>) => FirstAnswer | undefined;
}

/** What a handler returns: the body, before its schema leaves out what is not promised. */
export type Reply<Key extends EndpointKey> = z.input<Table[Key]['reply']['body']>;

/** What the steps of the wrapper hand to each other. */
export interface Exchange {
  readonly key: EndpointKey;
  readonly endpoint: Endpoint;
  readonly startedAt: number;
  caller?: Caller;
  query?: unknown;
  body?: unknown;
  ifVersion?: number;
  idempotency?: { readonly id: string; readonly fingerprint: string };
  /** Headers of the answer, whatever it will be. */
  readonly headers: Record<string, string>;
  /** Code of the refusal that it ended with. */
  reason?: RefusalCode;
  /** An error that the log has to name. */
  failure?: unknown;
}

export type Event = APIGatewayProxyEvent;

/** Lambda's context, on which the steps and the handler find the exchange. */
export type ServedContext = Context & { exchange: Exchange };

/** A header of the request, whatever its case. */
export function header(event: Event, name: string): string | undefined {
  const found = Object.entries(event.headers).find(([key]) => key.toLowerCase() === name);
  return found?.[1]?.trim();
}

/** The request as its handler gets it, once all steps have run. */
export function served<Key extends EndpointKey>(event: Event, exchange: Exchange): ServedRequest<Key> {
  const { caller, query, body, ifVersion, idempotency } = exchange;
  const now = new Date(exchange.startedAt).toISOString();
  const request = {
    caller,
    path: event.pathParameters ?? {},
    query,
    body,
    now,
    requestId: event.requestContext.requestId,
    ifVersion,
    apiKeyId: event.requestContext.identity.apiKeyId ?? undefined,
    firstAnswer: (reply: unknown) => idempotency && { ...idempotency, reply, at: now },
  };
  // The steps have checked each part against the schemas that this type is made from.
  return request as unknown as ServedRequest<Key>;
}
