import middy, { type MiddlewareObj } from '@middy/core';
import type { APIGatewayProxyResult } from 'aws-lambda';
import { deprecationHeaders } from '../../contract/terms/deprecation';
import type { Endpoint } from '../../contract/terms/endpoint';
import type { endpoints, EndpointKey } from '../../contract/endpoints';
import { fail, succeed } from './response';
import { logOnce } from './log';
import {
  servedRequest,
  type Event,
  type Exchange,
  type Reply,
  type ServedContext,
  type ServedRequest,
} from './request';
import { callerContext } from '../../contract/terms/caller';
import { permits, scopeNames } from '../../contract/terms/scopes';
import { lacksScope } from '../../contract/terms/forbidden';
import { TOKEN_EXPIRED } from '../../contract/terms/unauthorized';
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

/** A part of the input that only some endpoints have, so that only their functions load its reader. @throws Refusal */
export type Step = (exchange: Exchange, event: Event) => Promise<void> | void;

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
      for (const step of steps) await step(exchange, event);
      try {
        return await run(servedRequest<Key>(event, exchange));
      } catch (error) {
        throw (await exchange.replaceError?.(error)) ?? error;
      }
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
