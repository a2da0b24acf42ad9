import { Refusal } from '../../../domain/values/refusal';
import { endpointTable, methodNotAllowed, splitEndpointKey } from '../../endpoint-table';
import { hasBody, type Endpoint } from '../../terms/endpoint';
import type { EndpointKey } from '../../endpoints';
import { resourceRefusal } from '../../refusals';
import { exampleValue } from '../fields';
import { refusalSummaries } from '../examples/refusal-examples';
import type { MediaType, Reference, StatusExample } from './openapi-types';

export const json = <Examples extends MediaType['examples']>(schema: Reference, examples: Examples) => ({
  'application/json': { schema, examples },
});

/** `methodNotAllowed` for «Method not allowed». */
export const exampleName = (text: string) =>
  text.toLowerCase().replaceAll(/[^a-z0-9]+(\w)/g, (_, letter: string) => letter.toUpperCase());

/** What a status means on every operation that has it, with an example of the body if it has the form of errors. */
interface CommonError {
  readonly description: string;
  readonly example?: StatusExample;
}

const throttled =
  'AWS’s limits for the whole service are reached. Wait a second, and double that with each further attempt.';

const tooManyRequests = (summary: string): StatusExample => ({
  summary,
  value: { error: resourceRefusal(new Refusal('too_many_requests')).body.error },
  'x-status': 429,
});

/** What the operation, API Gateway and AWS answer beside the refusals of an endpoint, by status. */
export const commonErrors = (
  key: EndpointKey,
  { perMinute, request }: Endpoint,
): Readonly<Record<number, CommonError>> => ({
  405: {
    description: 'The path has no such method. `Allow` names those that it has.',
    example: {
      summary: 'Another method',
      value: methodNotAllowed(splitEndpointKey(key).path, endpointTable),
      'x-status': 405,
    },
  },
  ...(hasBody(request) && {
    413: {
      description:
        'The body is too large: AWS accepts about 6 MB here. The answer is AWS’s own, `{"message":"Request Too Long"}`, with `x-amzn-RequestId` in place of `x-request-id`.',
    },
  }),
  429:
    perMinute === undefined
      ? { description: throttled, example: tooManyRequests('The whole service is throttled') }
      : {
          description: `Your client has made ${perMinute} calls in this minute${request.file ? ', or as many files of your organisation are read as may be at the same time, which `details` then say' : ''}: wait \`Retry-After\` seconds. Without \`Retry-After\`: ${throttled}`,
          example: tooManyRequests(`More than ${perMinute} calls in a minute`),
        },
  500: {
    description:
      'An unexpected error. The request may have been executed: repeat GET, PATCH and DELETE as they are, and creates with the same `Idempotency-Key`, if the operation has one.',
    example: {
      summary: 'An unexpected error',
      value: { error: 'Internal server error', requestId: exampleValue('requestId') },
      'x-status': 500,
    },
  },
});

/** What the status 401 means on operations that need a token. */
export const unauthorizedText = `${refusalSummaries.unauthorized}. Request a new token.`;
