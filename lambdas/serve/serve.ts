import middy, { type MiddlewareObj } from '@middy/core';
import type { APIGatewayProxyResult } from 'aws-lambda';
import { deprecationHeaders } from '../../contract/terms/deprecation';
import type { Endpoint } from '../../contract/terms/endpoint';
import type { endpoints, EndpointKey } from '../../contract/endpoints';
import { fail, succeed } from './response';
import { authorise } from './authorise';
import { limit } from './limit';
import { logOnce } from './log';
import { parseQuery } from './query';
import {
  servedRequest,
  type Event,
  type Exchange,
  type Reply,
  type ServedContext,
  type ServedRequest,
} from './request';

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
 * Makes the Lambda function of an endpoint: authorise the scope, count the rate limit, parse the input, run the handler, reply through
 * the schema, log once.
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
      await limit(exchange, event);
      parseQuery(exchange, event);
      for (const step of steps) await step(exchange, event);
      try {
        return await run(servedRequest<Key>(event, exchange));
      } catch (error) {
        throw (await exchange.insteadOf?.(error)) ?? error;
      }
    },
    { timeoutEarlyInMillis: TIMEOUT_MARGIN_MS },
  ).use(beginAndEnd(key, endpoint));
