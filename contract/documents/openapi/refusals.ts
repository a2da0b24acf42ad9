import { cursorExpired } from '../../../domain/cursor';
import { Refusal, type RefusalCode } from '../../../domain/refusal';
import type { Endpoint } from '../../endpoint';
import type { EndpointKey } from '../../endpoints';
import { notAcceptable, oauthRefusal, refusals, resourceRefusal, unsupportedCharset } from '../../refusals';
import * as examples from '../examples/refusals';
import * as headers from './headers';
import type { Example, Reference, Response } from './openapi-types';
import { exampleName, json, limitReached, referToResponse } from './responses';
import { refer } from './schemas';

/** What is wrong with the invalid requests of an endpoint, by the name of the example. */
function invalidRequests(key: EndpointKey, { request, scope, idempotent }: Endpoint) {
  return {
    ...(request.body && examples.invalidBodies),
    ...(request.body && scope !== null && { unknownField: examples.unknownField }),
    ...examples.invalidRequests[key],
    ...(idempotent && examples.invalidKeys),
    unknownParameter: examples.unknownParameter,
  };
}

/** The refusals that say in `details` what their cause is: an example for each. */
const causesOf: Partial<
  Record<RefusalCode, (key: EndpointKey, endpoint: Endpoint) => Readonly<Record<string, examples.RefusalExample>>>
> = {
  invalid_request: invalidRequests,
  forbidden: examples.forbiddenCauses,
  cursor_expired: () => ({
    cursorExpired: { summary: examples.refusalSummaries.cursor_expired, details: cursorExpired().details },
  }),
  unsupported_media_type: () => ({
    unsupportedMediaType: {
      summary: examples.refusalSummaries.unsupported_media_type,
      details: unsupportedCharset().details,
    },
  }),
  not_acceptable: (_key, { reply }) => ({
    notAcceptable: {
      summary: examples.refusalSummaries.not_acceptable,
      details: notAcceptable(reply.mediaTypes ?? []).details,
    },
  }),
};

/** The examples of a refusal, by name. */
function examplesOf(code: RefusalCode, key: EndpointKey, endpoint: Endpoint): [string, Example][] {
  const toReply = endpoint.scope === null ? oauthRefusal : resourceRefusal;
  const summary = examples.refusalSummaries[code];
  const causes = causesOf[code]?.(key, endpoint) ?? { [exampleName(code)]: { summary } };
  return Object.entries(causes).map(([name, cause]) => [
    name,
    { summary: cause.summary, value: toReply(new Refusal(code, cause.details)).body },
  ]);
}

/** Refusals of every endpoint that `serve` or API Gateway makes. */
const common = ({ scope, request }: Endpoint): RefusalCode[] => [
  'invalid_request',
  ...(scope === null ? [] : (['unauthorized'] as const)),
  'forbidden',
  ...(request.body ? (['unsupported_media_type'] as const) : []),
];

/** The response with all refusals of an endpoint that have the same status. */
function responseOf(codes: readonly RefusalCode[], key: EndpointKey, endpoint: Endpoint): Response | Reference {
  const [only] = codes;
  if (codes.length === 1 && only === 'unauthorized') return referToResponse('Unauthorized');
  const schema = refer(endpoint.scope === null ? 'OAuthError' : 'Error');
  return {
    description: codes.map((code) => `${describe(code, endpoint)}.`).join('\n\n'),
    headers: { ...headers.requestId, ...headers.rateLimit(endpoint) },
    content: json(schema, Object.fromEntries(codes.flatMap((code) => examplesOf(code, key, endpoint)))),
  };
}

const describe = (code: RefusalCode, { scope }: Endpoint) =>
  code === 'forbidden' && scope === null
    ? 'The API key is missing, unknown or another client’s, or the client is suspended'
    : `\`${refusals[code].text}\`: ${examples.refusalSummaries[code].charAt(0).toLowerCase()}${examples.refusalSummaries[code].slice(1)}`;

/** The responses of an endpoint with a status of 400 or more, by status. */
export function errorResponses(key: EndpointKey, endpoint: Endpoint): Record<string, Response | Reference> {
  const codes = [...new Set([...common(endpoint), ...endpoint.refusals])].filter(
    (code) => code !== 'too_many_requests',
  );
  const statuses = [...new Set(codes.map((code) => refusals[code].status))];
  const own = statuses.map((status) => {
    const ofStatus = codes.filter((code) => refusals[code].status === status);
    return [String(status), responseOf(ofStatus, key, endpoint)] as const;
  });
  const { perMinute, request } = endpoint;
  return Object.fromEntries<Response | Reference>([
    ...own,
    ['405', referToResponse('MethodNotAllowed')],
    ...(request.body ? [['413', referToResponse('PayloadTooLarge')] as const] : []),
    ['429', perMinute === undefined ? referToResponse('TooManyRequests') : limitReached(perMinute)],
    ['500', referToResponse('InternalServerError')],
  ]);
}
