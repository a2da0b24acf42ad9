import type { APIGatewayProxyResult } from 'aws-lambda';
import { withLinks } from '../../contract/terms/links';
import { oauthRefusal, resourceRefusal } from '../../contract/refusals';
import { AlreadyAnswered } from '../../data/store/already-answered';
import { Refusal } from '../../domain/values/refusal';
import { replyAgain } from './repeated-request';
import { FileReply, type Event, type Exchange } from './request';

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
export function succeed(exchange: Exchange, event: Event, result: unknown): APIGatewayProxyResult {
  const { reply } = exchange.endpoint;
  if (result instanceof FileReply) return fileAnswer(exchange, event, result);
  const body = typeof result === 'string' ? result : reply.body.parse(linked(exchange, result));
  const version = reply.versioned && (body as { job: { version: number } }).job.version;
  if (version !== undefined) exchange.headers['ETag'] = `"${version}"`;
  return answer(exchange, event, reply.status, body, exchange.mediaType);
}

/** The answer to a refusal, in the endpoint's error format; any other error is a 500 with a request id and no detail. */
function refuse(exchange: Exchange, event: Event, error: unknown): APIGatewayProxyResult {
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

/** The answer to an error; a used idempotency key gets the first answer again. */
export function fail(exchange: Exchange, event: Event, error: unknown): APIGatewayProxyResult {
  if (!(error instanceof AlreadyAnswered)) return refuse(exchange, event, error);
  try {
    return succeed(exchange, event, replyAgain(error, exchange));
  } catch (refusal) {
    return refuse(exchange, event, refusal);
  }
}
