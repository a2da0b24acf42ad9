import middy, { type MiddlewareObj } from '@middy/core';
import type { APIGatewayProxyResult } from 'aws-lambda';
import { deprecationHeaders } from '../../contract/terms/deprecation';
import type { Endpoint } from '../../contract/terms/endpoint';
import type { endpoints, EndpointKey } from '../../contract/endpoints';
import { logOnce } from './log';
import {
  FileReply,
  type Event,
  type Exchange,
  type Reply,
  type ServedContext,
  type ServedRequest,
  type Step,
} from './request';
import { callerContext } from '../../contract/terms/caller';
import { permits, scopeNames } from '../../contract/terms/scopes';
import { lacksScope } from '../../contract/terms/forbidden';
import { TOKEN_EXPIRED } from '../../contract/terms/unauthorized';
import { withLinks } from '../../contract/terms/links';
import { oauthRefusal, resourceRefusal } from '../../contract/refusals';
import { limitsOfClient } from '../../domain/access/partner';
import { forbidden, invalid, Refusal } from '../../domain/values/refusal';
import { callCounter, countCall } from '../../data/access/rate-limit';
import { rateWindow } from '../../domain/access/rate-window';
import * as z from 'zod/mini';
import { describeParameterFault } from '../../contract/terms/validation-messages';
import { check, MAX_SHOWN } from '../runtime/details';

/** A slow request is answered with 500 this long before Lambda's own timeout, in ms. */
const TIMEOUT_MARGIN_MS = 100;

/** Begins and ends an exchange: every result and every error becomes an answer here, and is logged once. */
const beginAndEnd = (key: EndpointKey, endpoint: Endpoint): MiddlewareObj<Event, unknown, Error, ServedContext> => ({
  before: ({ context }) => {
    context.exchange = { key, endpoint, startedAt: Date.now(), headers: deprecationHeaders(endpoint.deprecation) };
    context.callbackWaitsForEmptyEventLoop = false;
  },
  after: (request) => {
    request.response = answerAndLog(request.context.exchange, request.event, succeed, request.response);
  },
  onError: (request) => {
    request.response = answerAndLog(request.context.exchange, request.event, fail, request.error);
  },
});

type ToAnswer = (exchange: Exchange, event: Event, outcome: unknown) => APIGatewayProxyResult;

function answerAndLog(exchange: Exchange, event: Event, toAnswer: ToAnswer, outcome: unknown): APIGatewayProxyResult {
  const answer = toAnswer(exchange, event, outcome);
  logOnce(exchange, event, answer.statusCode, outcome);
  return answer;
}

/**
 * Makes the Lambda function of an endpoint: authorise the scope, count the rate limit, parse the input, run the
 * handler, reply through the schema, log once.
 * @param endpoint the row of the key in `contract/endpoints.ts`, imported by itself: the table has the schemas of all
 * @param run gets the parsed request and returns the body of the reply, or throws a Refusal
 * @param steps what else of the input it reads, in order: body, `If-Match`, `Accept`, `Idempotency-Key`
 */
export const serve = <Key extends EndpointKey>(
  key: Key,
  endpoint: Endpoint & (typeof endpoints)[Key],
  run: (request: ServedRequest<Key>) => Promise<Reply<Key>>,
  ...steps: readonly Step[]
) =>
  middy<Event, unknown, Error, ServedContext>(
    // All steps are in the handler, because middy's early timeout does not cover middlewares.
    async (event: Event, { exchange }: ServedContext) => {
      authorise(exchange, event);
      await limitCalls(exchange, event);
      parseQuery(exchange, event);
      const handle = () => run(servedRequest<Key>(event, exchange));
      return steps.reduceRight<() => Promise<unknown>>((next, step) => () => step(exchange, event, next), handle)();
    },
    { timeoutEarlyInMillis: TIMEOUT_MARGIN_MS },
  ).use(beginAndEnd(key, endpoint));

/**
 * Takes the caller from the authorizer's context and checks the scope, which nothing before it does. It checks the expiry
 * again: the token may have expired since the authorizer's answer was cached.
 * @throws Refusal `unauthorized`, `forbidden`
 */
function authorise(exchange: Exchange, event: Event): void {
  if (exchange.endpoint.scope === null) return;
  const context = callerContext.safeParse(event.requestContext.authorizer);
  if (!context.success) throw new Refusal('unauthorized');
  if (context.data.expiresAt * 1000 <= exchange.startedAt)
    throw new Refusal('unauthorized', [{ path: 'Authorization', message: TOKEN_EXPIRED }]);
  const { clientId, organisation, scopes, limits = '{}', refusal } = context.data;
  if (refusal !== undefined) throw forbidden('Authorization', refusal);
  const granted = scopes.split(' ');
  if (!permits(exchange.endpoint, granted)) throw lacksScope('Authorization', scopeNames(exchange.endpoint));
  exchange.caller = { clientId, organisation, scopes: granted, limits: limitsOfClient.parse(JSON.parse(limits)) };
}

/**
 * Counts the call against the client's limit of the endpoint and sets the `X-RateLimit-*` headers (DESIGN section 3).
 * Beyond the limit a request that the endpoint spares is counted apart.
 * @throws Refusal `too_many_requests`
 */
async function limitCalls(
  { key, endpoint, caller, startedAt, headers }: Exchange,
  { body, isBase64Encoded }: Pick<Event, 'body' | 'isBase64Encoded'>,
): Promise<void> {
  if (endpoint.perMinute === undefined || !caller) return;
  const perMinute = caller.limits[key] ?? endpoint.perMinute;
  const now = Math.floor(startedAt / 1000);
  const { start, end } = rateWindow(now);
  const counter = callCounter(caller.clientId, key);
  const calls = await countCall(counter, start, perMinute);
  headers['X-RateLimit-Limit'] = String(perMinute);
  headers['X-RateLimit-Remaining'] = String(Math.max(0, perMinute - calls));
  headers['X-RateLimit-Reset'] = String(end);
  if (calls <= perMinute) return;
  // A client that says the media type of another body gets it in base64 (`contract/terms/binary-media-types.ts`).
  const text = isBase64Encoded ? Buffer.from(body ?? '', 'base64').toString() : body;
  if (endpoint.spares?.(text) && (await countCall(`${counter}#spared`, start, perMinute)) <= perMinute) return;
  throw new Refusal('too_many_requests', [], { retryAfterSeconds: end - now });
}

/**
 * Validates the query by the endpoint's schema.
 * @throws Refusal `invalid_request` that names each fault
 */
function parseQuery(exchange: Exchange, event: Event): void {
  exchange.query = check(exchange.endpoint.request.query ?? noQuery, readQuery(event), describeParameterFault);
}

/** For an endpoint without query parameters: one that is given is misspelt, or meant for another endpoint. */
const noQuery = z.strictObject({});

/** Query parameters; each may be given once. */
function readQuery(event: Event): Record<string, string> {
  const given = Object.entries(event.multiValueQueryStringParameters ?? {});
  return Object.fromEntries(
    given.map(([name, values = []]) => {
      if (values.length > 1) throw invalid(name.slice(0, MAX_SHOWN), 'must be given once');
      return [name, values[0] ?? ''];
    }),
  );
}

/** Builds the request for the handler, after all steps have run. */
function servedRequest<Key extends EndpointKey>(event: Event, exchange: Exchange): ServedRequest<Key> {
  const { caller, query, body, file, mediaType, acceptsBinary = false, ifVersions, idempotency } = exchange;
  const now = new Date(exchange.startedAt).toISOString();
  const request = {
    caller,
    path: event.pathParameters ?? {},
    query,
    body,
    file,
    mediaType,
    acceptsBinary,
    now,
    requestId: event.requestContext.requestId,
    ifVersions,
    apiKeyId: event.requestContext.identity.apiKeyId ?? undefined,
    firstAnswer: (reply: unknown) =>
      idempotency && { id: idempotency.id, fingerprint: idempotency.fingerprint, reply, at: now },
  };
  // The steps have validated each part by the schemas that this type derives from.
  return request as ServedRequest<Key>;
}

const JSON_TYPE = 'application/json';

/** A media type as a header has it: without a charset, some clients read text in one of their own (RFC 2046 section 4.1.2). */
const contentType = (mediaType: string) => (mediaType.startsWith('text/') ? `${mediaType}; charset=utf-8` : mediaType);

const answer = (
  { headers }: Exchange,
  event: Event,
  statusCode: number,
  body: unknown,
  mediaType = JSON_TYPE,
): APIGatewayProxyResult => ({
  statusCode,
  headers: {
    'Content-Type': contentType(mediaType),
    'Cache-Control': 'no-store',
    'x-request-id': event.requestContext.requestId,
    ...headers,
  },
  body: typeof body === 'string' ? body : JSON.stringify(body),
});

const linked = ({ endpoint: { reply } }: Exchange, result: unknown) =>
  reply.links && typeof result === 'object' && result ? withLinks(reply.links, result) : result;

/**
 * A stranger's file: a browser saves it, and takes it for nothing but what it is said to be (RFC 6266; Fetch standard,
 * section 3.6). In base64 by the API Gateway developer guide, "Return binary media from a Lambda proxy integration in
 * API Gateway".
 */
function fileAnswer(exchange: Exchange, event: Event, { content, mediaType, fileName }: FileReply) {
  const isBase64Encoded = exchange.acceptsBinary === true;
  exchange.headers['X-Content-Type-Options'] = 'nosniff';
  exchange.headers['Content-Disposition'] = `attachment; filename="${fileName}"`;
  const body = content.toString(isBase64Encoded ? 'base64' : 'utf8');
  return { ...answer(exchange, event, exchange.endpoint.reply.status, body, mediaType), isBase64Encoded };
}

/** The answer to a success; fields that are not in the reply's schema are stripped. A text is the answer as it is. */
function succeed(exchange: Exchange, event: Event, result: unknown): APIGatewayProxyResult {
  const { reply } = exchange.endpoint;
  if (result instanceof FileReply) return fileAnswer(exchange, event, result);
  const body = typeof result === 'string' ? result : reply.body.parse(linked(exchange, result));
  const version = reply.versioned && (body as { job: { version: number } }).job.version;
  if (version !== undefined) exchange.headers['ETag'] = `"${version}"`;
  return answer(exchange, event, reply.status, body, exchange.mediaType);
}

/** The answer to a refusal, in the endpoint's error format; any other error is a 500 with a request id and no detail. */
function fail(exchange: Exchange, event: Event, error: unknown): APIGatewayProxyResult {
  if (error instanceof Refusal) {
    exchange.reason = error.code;
    if (error.retryAfterSeconds !== undefined) exchange.headers['Retry-After'] = String(error.retryAfterSeconds);
    const { status, body } = exchange.endpoint.scope === null ? oauthRefusal(error) : resourceRefusal(error);
    return answer(exchange, event, status, body);
  }
  exchange.failure = error;
  return answer(exchange, event, 500, {
    error: 'Internal server error',
    requestId: event.requestContext.requestId,
  });
}
