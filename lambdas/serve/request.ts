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

type MediaTypeOf<Key extends EndpointKey> = Table[Key]['reply'] extends {
  readonly mediaTypes: readonly (infer MediaType)[];
}
  ? MediaType
  : undefined;

export interface Caller {
  readonly clientId: string;
  readonly organisation: Organisation;
  /** Of the token. */
  readonly scopes: readonly string[];
}

/** A request as its handler gets it. */
export interface ServedRequest<Key extends EndpointKey> {
  readonly caller: Table[Key]['scope'] extends null ? undefined : Caller;
  readonly path: Readonly<Record<PathParameter<Key>, string>>;
  readonly query: Part<Key, 'query'>;
  readonly body: Part<Key, 'body'>;
  /** The media type of the reply, if the endpoint offers several. */
  readonly mediaType: MediaTypeOf<Key>;
  /** When the request was received, ISO 8601. */
  readonly now: string;
  readonly requestId: string;
  /** The version in `If-Match`. */
  readonly ifVersion: number | undefined;
  /** Id (not value) of the API key that API Gateway accepted. */
  readonly apiKeyId: string | undefined;
  /** The answer to store with a created resource, so that a repeat gets it again; undefined without an idempotency key. */
  readonly firstAnswer: (reply: Reply<Key>) => FirstAnswer | undefined;
}

/**
 * What a handler returns: the body, before the reply's schema strips fields that are not part of the contract; text for a
 * media type other than JSON.
 */
export type Reply<Key extends EndpointKey> =
  z.input<Table[Key]['reply']['body']> | (MediaTypeOf<Key> extends undefined ? never : string);

/** State that the steps of `serve` share during one request. */
export interface Exchange {
  readonly key: EndpointKey;
  readonly endpoint: Endpoint;
  readonly startedAt: number;
  caller?: Caller;
  query?: unknown;
  body?: unknown;
  ifVersion?: number;
  /** Of the reply; JSON unless the endpoint offers others. */
  mediaType?: string;
  idempotency?: { readonly id: string; readonly fingerprint: string };
  /** Headers of the answer, whether it succeeds or fails. */
  readonly headers: Record<string, string>;
  /** Code of the refusal, if the request was refused. */
  reason?: RefusalCode;
  /** Unexpected error, for the log. */
  failure?: unknown;
}

export type Event = APIGatewayProxyEvent;

/** Lambda's context with the exchange. */
export type ServedContext = Context & { exchange: Exchange };

/** A header of the request, by its name in lower case; clients may send it in any case. */
export function header(event: Event, name: string): string | undefined {
  const found = Object.entries(event.headers).find(([key]) => key.toLowerCase() === name);
  return found?.[1]?.trim();
}

/** Builds the request for the handler, after all steps have run. */
export function servedRequest<Key extends EndpointKey>(event: Event, exchange: Exchange): ServedRequest<Key> {
  const { caller, query, body, mediaType, ifVersion, idempotency } = exchange;
  const now = new Date(exchange.startedAt).toISOString();
  const request = {
    caller,
    path: event.pathParameters ?? {},
    query,
    body,
    mediaType,
    now,
    requestId: event.requestContext.requestId,
    ifVersion,
    apiKeyId: event.requestContext.identity.apiKeyId ?? undefined,
    firstAnswer: (reply: unknown) => idempotency && { ...idempotency, reply, at: now },
  };
  // The steps have validated each part by the schemas that this type derives from.
  return request as unknown as ServedRequest<Key>;
}
