import { cursorExpired } from '../../../domain/events/cursor';
import { heldByAnother } from '../../../domain/commands/control-lease';
import { noDevice } from '../../../domain/dispatch/candidate';
import { onTheGround } from '../../../domain/commands/steering';
import { Refusal, type RefusalCode } from '../../../domain/values/refusal';
import { hasBody, type Endpoint } from '../../terms/endpoint';
import type { EndpointKey } from '../../endpoints';
import {
  notAcceptable,
  oauthRefusal,
  refusals,
  resourceRefusal,
  unsupportedCharset,
  unsupportedMediaType,
} from '../../refusals';
import * as examples from '../examples/refusal-examples';
import { exampleValue } from '../fields';
import * as headers from './headers';
import type { ErrorResponse, StatusExample } from './openapi-types';
import { commonErrors, exampleName, json, unauthorizedText } from './responses';
import { refer } from './schemas';

const exampleLease = {
  origin: 'partner',
  heldBy: exampleValue('heldBy') as string,
  until: exampleValue('until') as string,
} as const;

/** What is wrong with the invalid requests of an endpoint, by the name of the example. */
function invalidRequests(key: EndpointKey, endpoint: Endpoint) {
  const { request, scope, idempotent } = endpoint;
  return {
    ...(request.body && examples.invalidBodies),
    ...(request.file && examples.invalidFiles),
    ...(request.body && scope !== null && { unknownField: examples.unknownField }),
    ...examples.invalidRequests[key],
    ...(idempotent && examples.invalidKeys),
    unknownParameter: examples.unknownParameter(endpoint),
  };
}

/** The refusals that say in `details` what their cause is: an example for each. */
const causesOf: Partial<
  Record<RefusalCode, (key: EndpointKey, endpoint: Endpoint) => Readonly<Record<string, examples.RefusalExample>>>
> = {
  invalid_request: invalidRequests,
  forbidden: examples.forbiddenCauses,
  cannot_cancel: () => examples.cancelRefusals,
  no_device: () => ({
    noDevice: { summary: examples.refusalSummaries.no_device, details: noDevice([]).details },
  }),
  cannot_command: () => ({
    onTheGround: { summary: examples.refusalSummaries.cannot_command, details: onTheGround().details },
  }),
  held_by: () => ({
    heldBy: {
      summary: examples.refusalSummaries.held_by,
      details: heldByAnother(exampleLease, { origin: 'partner' }).details,
    },
  }),
  cursor_expired: () => ({
    cursorExpired: { summary: examples.refusalSummaries.cursor_expired, details: cursorExpired().details },
  }),
  unsupported_media_type: (_key, { request: { file } }) => ({
    [file ? 'otherMediaType' : 'unsupportedMediaType']: {
      summary: examples.refusalSummaries.unsupported_media_type,
      details: (file ? unsupportedMediaType(file) : unsupportedCharset()).details,
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
function examplesOf(code: RefusalCode, key: EndpointKey, endpoint: Endpoint): [string, StatusExample][] {
  const toReply = endpoint.scope === null ? oauthRefusal : resourceRefusal;
  const summary = examples.refusalSummaries[code];
  const causes = causesOf[code]?.(key, endpoint) ?? { [exampleName(code)]: { summary } };
  return Object.entries(causes).map(([name, cause]) => [
    name,
    {
      summary: cause.summary,
      value: toReply(new Refusal(code, cause.details)).body,
      'x-status': refusals[code].status,
    },
  ]);
}

/** Refusals of every endpoint that `serve` or API Gateway makes. */
const common = ({ scope, request }: Endpoint): RefusalCode[] => [
  'invalid_request',
  ...(scope === null ? [] : (['unauthorized'] as const)),
  'forbidden',
  ...(hasBody(request) ? (['unsupported_media_type'] as const) : []),
];

const describe = (code: RefusalCode, { scope }: Endpoint) => {
  if (code === 'unauthorized') return unauthorizedText;
  if (code === 'forbidden' && scope === null)
    return 'The API key is missing, unknown or another client’s, or the client is suspended.';
  const summary = examples.refusalSummaries[code];
  return `\`${refusals[code].text}\`: ${summary.charAt(0).toLowerCase()}${summary.slice(1)}.`;
};

/**
 * The response of an endpoint to everything that fails: generated clients have one class for it, whatever the status. The
 * statuses are in its description, and for programs in `x-statuses`; those that an example belongs to is its `x-status`.
 */
export function errorResponse(key: EndpointKey, endpoint: Endpoint): ErrorResponse {
  const codes = [...new Set([...common(endpoint), ...endpoint.refusals])].filter(
    (code) => code !== 'too_many_requests',
  );
  const own = [...new Set(codes.map((code) => refusals[code].status))].map((status) => {
    const ofStatus = codes.filter((code) => refusals[code].status === status);
    return [status, ofStatus.map((code) => describe(code, endpoint)).join(' ')] as const;
  });
  const others = Object.entries(commonErrors(key, endpoint));
  // In ascending order, as of all keys that are integers.
  const statuses = Object.fromEntries([
    ...own,
    ...others.map(([status, { description }]) => [status, description]),
  ]) as ErrorResponse['x-statuses'];
  const shown = [
    ...codes.flatMap((code) => examplesOf(code, key, endpoint)),
    ...others.flatMap(([, { example }]) =>
      example ? [[exampleName((example.value as { error: string }).error), example] as const] : [],
    ),
  ];
  return {
    description: [
      'An error, by its status:',
      Object.entries(statuses)
        .map(([status, text]) => `- \`${status}\`: ${text}`)
        .join('\n'),
    ].join('\n\n'),
    headers: {
      ...(hasBody(endpoint.request) ? { ...headers.requestIdIfRead, ...headers.amazonRequestId } : headers.requestId),
      ...(endpoint.scope !== null && headers.wwwAuthenticate),
      ...headers.allow,
      ...headers.retryAfter,
      ...headers.rateLimitHeaderReferences(endpoint),
    },
    content: json(refer('Error'), Object.fromEntries(shown)),
    'x-statuses': statuses,
  };
}
