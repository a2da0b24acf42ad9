import { Refusal } from '../../../domain/refusal';
import { resourceRefusal } from '../../refusals';
import { exampleValue } from '../fields';
import { refusalSummaries } from '../examples/refusals';
import * as headers from './headers';
import type { MediaType, Reference, Response } from './openapi-types';
import { refer } from './schemas';

export const json = (schema: Reference, examples: MediaType['examples']) => ({
  'application/json': { schema, examples },
});

const error = (text: string, summary: string) =>
  json(refer('Error'), { [exampleName(text)]: { summary, value: { error: text } } });

/** `methodNotAllowed` for «Method not allowed». */
export const exampleName = (text: string) =>
  text.toLowerCase().replaceAll(/[^a-z0-9]+(\w)/g, (_, letter: string) => letter.toUpperCase());

const textOf = (code: Refusal['code']) => resourceRefusal(new Refusal(code)).body.error;

const throttledDescription =
  'AWS’s limits for the whole service are reached. Wait a second, and double that with each further attempt.';

/** Responses that several operations have, by the name of their component. */
export const commonResponses = {
  Unauthorized: {
    description: `${refusalSummaries.unauthorized}. Request a new token.`,
    headers: { ...headers.requestId, ...headers.wwwAuthenticate },
    content: error(textOf('unauthorized'), refusalSummaries.unauthorized),
  },
  MethodNotAllowed: {
    description: 'The path has no such method. `Allow` names those that it has.',
    headers: { ...headers.requestId, ...headers.allow },
    content: error('Method not allowed', 'Another method'),
  },
  PayloadTooLarge: {
    description: 'The body is too large: AWS accepts about 6 MB here. It has a form of its own and no `x-request-id`.',
    headers: headers.amazonRequestId,
    content: json(refer('GatewayError'), {
      tooLarge: { summary: 'A body of 10 MB', value: { message: 'Request Too Long' } },
    }),
  },
  TooManyRequests: {
    description: throttledDescription,
    headers: { ...headers.requestId, ...headers.retryAfter },
    content: error(textOf('too_many_requests'), 'The whole service is throttled'),
  },
  InternalServerError: {
    description:
      'An unexpected error. The request may have been executed: repeat GET, PATCH and DELETE as they are, and creates with the same `Idempotency-Key`.',
    headers: headers.requestId,
    content: json(refer('InternalError'), {
      internalServerError: {
        summary: 'An unexpected error',
        value: { error: 'Internal server error', requestId: exampleValue('requestId') },
      },
    }),
  },
} satisfies Record<string, Response>;

/** The response to a client that has reached the limit of an endpoint. */
export const limitReached = (perMinute: number): Response => ({
  description: `Your client has made ${perMinute} calls in this minute: wait \`Retry-After\` seconds. Without \`Retry-After\`: ${throttledDescription}`,
  headers: { ...headers.requestId, ...headers.retryAfter, ...headers.rateLimit({ perMinute }) },
  content: error(textOf('too_many_requests'), `More than ${perMinute} calls in a minute`),
});

export const referToResponse = (name: keyof typeof commonResponses): Reference => ({
  $ref: `#/components/responses/${name}`,
});
