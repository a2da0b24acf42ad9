import middy, { type MiddlewareObj } from '@middy/core';
import type { APIGatewayProxyResult } from 'aws-lambda';
import type { Endpoint } from '../../contract/endpoint';
import type { EndpointKey } from '../../contract/endpoints';
import { fail, succeed } from './answer';
import { authorise } from './authorise';
import { limit } from './limit';
import { logOnce } from './log';
import { parse } from './parse';
import { replay } from './replay';
import { served, type Event, type Exchange, type Reply, type ServedContext, type ServedRequest } from './request';

/** How long before Lambda's own timeout a slow request gets its 500, in ms. */
const EARLY_MS = 100;

/** Begins an exchange, and ends it: every result and every error leaves here as an answer, logged once. */
const beginAndEnd = (key: EndpointKey, endpoint: Endpoint): MiddlewareObj<Event, unknown, Error, ServedContext> => ({
  before: ({ context }) => {
    context.exchange = { key, endpoint, startedAt: Date.now(), headers: {} };
    context.callbackWaitsForEmptyEventLoop = false;
  },
  after: (request) => {
    request.response = logged(request.context.exchange, request.event, succeed, request.response);
  },
  onError: (request) => {
    request.response = logged(request.context.exchange, request.event, fail, request.error);
  },
});

type Ending = (exchange: Exchange, event: Event, outcome: unknown) => APIGatewayProxyResult;

function logged(exchange: Exchange, event: Event, ending: Ending, outcome: unknown): APIGatewayProxyResult {
  const answer = ending(exchange, event, outcome);
  logOnce(exchange, event, answer.statusCode);
  return answer;
}

/**
 * Makes handlers into the Lambda functions of endpoints: authorise its scope, count its limit, parse
 * the input, look up its idempotency key, run it, reply through its schema, log once.
 * @param table the part of `contract/endpoints.ts` that has the endpoint
 * @returns a function of the endpoint's key and of `run`, which gets the parsed request and returns the body of the
 *   reply, or throws a Refusal
 */
export const serveFrom =
  <Served extends EndpointKey>(table: Readonly<Record<Served, Endpoint>>) =>
  <Key extends Served>(key: Key, run: (request: ServedRequest<Key>) => Promise<Reply<Key>>) =>
    middy<Event, unknown, Error, ServedContext>(
      // All in one, for middy's timeout looks at nothing that runs before.
      async (event: Event, { exchange }: ServedContext) => {
        authorise(exchange, event);
        await limit(exchange);
        parse(exchange, event);
        await replay(exchange, event);
        return run(served<Key>(event, exchange));
      },
      { timeoutEarlyInMillis: EARLY_MS },
    ).use(beginAndEnd(key, table[key]));
