import { RATE_WINDOW_S } from '../../../domain/access/rate-window';
import { nonTextMediaTypes } from '../../terms/binary-media-types';
import { endpointTable, splitEndpointKey } from '../../endpoint-table';
import { describeEndpoint, type Endpoint } from '../../terms/endpoint';
import { namedScopes, scopeWord } from '../../terms/scopes';
import type { EndpointKey } from '../../endpoints';
import { withLinks } from '../../terms/links';
import { type LinkedKind } from '../../terms/channel-addresses';
import { composeExample } from './example-of';
import { mediaTypeExample, replyFields } from '../examples/reply-examples';
import { basicExample, fileExamples, requestExamples } from '../examples/request-examples';
import * as headers from './headers';
import type { Header, MediaType, OpenApiDocument, Operation, Reference, RequestBody, Response } from './openapi-types';
import { findFirstPath, operationId } from './operation-ids';
import { describeParameters } from './parameters';
import { errorResponse } from './error-responses';
import { json } from './responses';
import { fileSchema, replyReference, requestReference, schemasByReference } from './schemas';
import { securityRequirements } from './security';
import { deprecationHeaders, type Deprecation } from '../../terms/deprecation';

const composed = (reference: Reference) => composeExample({ $ref: reference.$ref }, schemasByReference, reference.$ref);

function fileBodyOf(key: EndpointKey, mediaTypes: readonly string[]): RequestBody {
  const content = mediaTypes.map((type): [string, MediaType] => [
    type,
    { schema: fileSchema(type), examples: fileExamples[key]?.[type] ?? {} },
  ]);
  return { description: 'The file.', required: true, content: Object.fromEntries(content) };
}

function requestBodyOf(key: EndpointKey, { request, scope }: Endpoint): RequestBody | undefined {
  if (request.file) return fileBodyOf(key, request.file);
  if (!request.body) return undefined;
  const schema = requestReference(request.body);
  // A choice of several bodies has an example of each instead.
  const isChoice = schemasByReference.get(schema.$ref)?.anyOf !== undefined;
  const summary = scope === null ? 'Credentials in the body' : 'Every field';
  const content = json(schema, {
    ...(!isChoice && { everything: { summary, value: composed(schema) } }),
    ...requestExamples[key],
    ...(scope === null && { basic: basicExample }),
  });
  if (scope !== null) return { description: 'JSON in UTF-8; unknown fields are refused.', required: true, content };
  const form = { 'application/x-www-form-urlencoded': content['application/json'] };
  return {
    description: 'JSON or a form. Unknown fields are ignored.',
    required: true,
    content: { ...content, ...form },
  };
}

/** The reply with every field, composed from the examples of the fields. */
function replyExample(key: EndpointKey, schema: Reference, links: LinkedKind | undefined): unknown {
  const composedReply = composed(schema) as object;
  const reply = (links ? withLinks(links, composedReply) : composedReply) as Record<string, object>;
  const own = Object.entries(replyFields[key] ?? {});
  return { ...reply, ...Object.fromEntries(own.map(([name, fields]) => [name, { ...reply[name], ...fields }])) };
}

/** The reply in each of its media types: `schema` and an example of the JSON ones, text for others. */
function contentOf(key: EndpointKey, { reply }: Endpoint): Response['content'] {
  const schema = replyReference(reply.body);
  const example = { summary: 'With every field', value: replyExample(key, schema, reply.links) };
  const others = reply.mediaTypes?.map((type): [string, MediaType] => {
    if (nonTextMediaTypes.includes(type)) return [type, { schema: fileSchema(type), examples: {} }];
    const { name, summary = example.summary, text } = mediaTypeExample(key, type);
    if (text === undefined) return [type, { schema, examples: { [name]: example } }];
    return [type, { schema: { type: 'string' }, examples: { [name]: { summary, value: text } } }];
  });
  return others ? Object.fromEntries(others) : json(schema, { success: example });
}

function successOf(key: EndpointKey, endpoint: Endpoint): Response {
  const { reply } = endpoint;
  return {
    description: reply.status === 201 ? 'Created.' : 'Done.',
    headers: {
      ...headers.requestId,
      ...headers.noStore,
      ...(reply.versioned && headers.eTag),
      ...(reply.mediaTypes && headers.vary),
      ...(endpoint.missionFiles?.includes('get') && headers.ofFile),
      ...headers.rateLimitHeaderReferences(endpoint),
    },
    content: contentOf(key, endpoint),
  };
}

/** Which scope the token needs, and how often it may be called. */
function needsOf(endpoint: Endpoint): string[] {
  const { perMinute } = endpoint;
  const names = namedScopes(endpoint).map((scope) => `\`${scope}\``);
  const scope = names.length <= 1 ? `Scope: ${names.join('')}.` : `Scope: one of ${names.join(', ')}.`;
  const needed = scopeWord(endpoint) === 'and' ? `Scopes: ${names.join(' and ')}.` : scope;
  const limit = `Limit: ${perMinute} calls a minute per client, in windows of a minute of the clock. Each call counts, also one that is refused with 400 or 404 or repeats an \`Idempotency-Key\`.`;
  const texts = [...(names.length > 0 ? [needed] : []), ...(perMinute === undefined ? [] : [limit])];
  return texts.length > 0 ? [texts.join(' ')] : [];
}

function descriptionWithLimits(key: EndpointKey, endpoint: Endpoint): string {
  const { deprecation } = endpoint;
  const first = findFirstPath(key);
  return [
    ...(deprecation ? [deprecationText(deprecation)] : []),
    describeEndpoint(endpoint),
    ...needsOf(endpoint),
    ...(first === undefined ? [] : [`The same operation as \`${first}\`, under its second path.`]),
  ].join('\n\n');
}

/** The operation of a row of the table of endpoints. */
export function describeOperation(key: EndpointKey, endpoint: Endpoint): Operation {
  const { perMinute } = endpoint;
  const parameters = describeParameters(splitEndpointKey(key).path, endpoint);
  const requestBody = requestBodyOf(key, endpoint);
  return {
    operationId: operationId(key),
    summary: endpoint.summary,
    description: descriptionWithLimits(key, endpoint),
    ...(endpoint.deprecation && { deprecated: true }),
    tags: [endpoint.tag],
    security: securityRequirements(endpoint),
    ...(parameters.length > 0 && { parameters }),
    ...(requestBody && { requestBody }),
    responses: announced(endpoint.deprecation, {
      [endpoint.reply.status]: successOf(key, endpoint),
      default: errorResponse(key, endpoint),
    }),
    ...(perMinute !== undefined && {
      'x-rate-limit': { calls: perMinute, windowSeconds: RATE_WINDOW_S, per: 'client' },
    }),
  };
}

/** Every operation by path and method, in the order of the table. */
export function pathItems(): OpenApiDocument['paths'] {
  const paths: Record<string, Record<string, Operation>> = {};
  for (const key of Object.keys(endpointTable) as EndpointKey[]) {
    const { method, path } = splitEndpointKey(key);
    (paths[path] ??= {})[method.toLowerCase()] = describeOperation(key, endpointTable[key]);
  }
  return paths;
}

const descriptions: Readonly<Record<string, string>> = {
  Deprecation: 'Since when the operation is deprecated (RFC 9745): `@`, then Unix time in seconds.',
  Sunset: 'When the operation ends (RFC 8594).',
  Link: 'Where it says what to use instead.',
};

/** The headers of a deprecated operation; refusals that don't reach it, such as those of the API gateway, lack them. */
function headersOf(deprecation: Deprecation, isSuccess: boolean): Record<string, Header> {
  const headers = Object.entries(deprecationHeaders(deprecation)).map(([name, value]) => [
    name,
    { description: descriptions[name] ?? '', required: isSuccess, schema: { type: 'string', examples: [value] } },
  ]);
  return Object.fromEntries(headers) as Record<string, Header>;
}

/** The responses of an operation, by status, with the headers that announce its end if it is deprecated. */
function announced(deprecation: Deprecation | undefined, responses: Operation['responses']): Operation['responses'] {
  if (!deprecation) return responses;
  return Object.fromEntries(
    Object.entries(responses).map(([status, { headers, ...rest }]) => [
      status,
      { ...rest, headers: { ...headers, ...headersOf(deprecation, status !== 'default') } },
    ]),
  );
}

/** What an operation's description says of its end. */
const deprecationText = ({ since, sunset, instead }: Deprecation): string =>
  `Deprecated since ${since.slice(0, 10)}, ends on ${sunset.slice(0, 10)}: [what to use instead](${instead}).`;
