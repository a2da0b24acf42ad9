/**
 * MOCK integrations: API Gateway developer guide, "Set up a mock integration for an API", "Method request behavior
 * for payloads without mapping templates" (passthrough) and "Content type conversions in API Gateway" (content handling).
 */
import * as z from 'zod';
import { ANY_TYPE, areBinary, decodeBase64, type BinaryMediaTypes } from '../binary-media-types';
import { headerOf, type Call, type GatewayReply } from './call';
import { GatewayError } from '../gateway-responses';
import { compileMapping, compileTemplate, type Mapping, type Template } from './mapping';

const contentHandling = z.enum(['CONVERT_TO_TEXT', 'CONVERT_TO_BINARY']).optional();

/** Extension `x-amazon-apigateway-integration` of the type `mock`. Its responses are by pattern of the status. */
export const mockIntegration = z.strictObject({
  type: z.literal('mock'),
  contentHandling,
  passthroughBehavior: z.enum(['when_no_match', 'when_no_templates', 'never']).default('when_no_match'),
  requestTemplates: z.record(z.string(), z.string()).default({}),
  responses: z
    .record(
      z.string(),
      z.strictObject({
        statusCode: z.string(),
        contentHandling,
        responseParameters: z.record(z.string(), z.string()).default({}),
        responseTemplates: z.record(z.string(), z.string()).default({}),
      }),
    )
    .default({}),
});

/** Declared responses of a method, by status. */
type Declared = Readonly<Record<string, { readonly headers: Readonly<Record<string, unknown>> }>>;

/** Answers a call. */
export type Mock = (call: Call) => GatewayReply;

interface Response {
  readonly status: number;
  readonly pattern: RegExp | undefined;
  readonly headers: readonly (readonly [name: string, value: Mapping])[];
  readonly bodies: ReadonlyMap<string, Template>;
  /** Whether its text is sent as it is, whatever the client accepts. */
  readonly isText: boolean;
}

const HEADER = 'method.response.header.';
const EMPTY_BODY: Template = () => '';

/**
 * Compiles a mock integration.
 * @param declared responses of the method
 * @param place name of the method in errors
 * @param binaryTypes of the API
 * @throws Error for an unsupported template, for a response or header that the method does not declare, which API Gateway
 *   refuses too, and if all media types are binary without a conversion to text, with which it would answer every call with 500
 */
export function createMock(
  properties: z.infer<typeof mockIntegration>,
  declared: Declared,
  place: string,
  binaryTypes: BinaryMediaTypes,
): Mock {
  const { passthroughBehavior, requestTemplates } = properties;
  // A template can't read a binary payload.
  const readsBinary = properties.contentHandling === 'CONVERT_TO_TEXT';
  if (binaryTypes.includes(ANY_TYPE) && !readsBinary)
    throw new Error(`a mock integration fails if ${ANY_TYPE} is a binary media type`);
  const statuses = new Map(
    Object.entries(requestTemplates).map(
      ([type, template]) => [type.toLowerCase(), statusIn(template, place)] as const,
    ),
  );
  const responses = Object.entries(properties.responses).map(([pattern, one]): Response => {
    const method = declared[one.statusCode];
    if (!method) throw new Error(`the method declares no response ${one.statusCode}`);
    const headers = Object.entries(one.responseParameters).map(([parameter, expression]) => {
      if (!parameter.startsWith(HEADER)) throw new Error(`the parameter ${parameter} is not supported`);
      const name = parameter.slice(HEADER.length);
      if (!Object.hasOwn(method.headers, name)) throw new Error(`the method does not declare ${parameter}`);
      return [name, compileMapping(expression, place)] as const;
    });
    return {
      status: Number(one.statusCode),
      pattern: pattern === 'default' ? undefined : new RegExp(`^(?:${pattern})$`),
      headers,
      bodies: new Map(
        Object.entries(one.responseTemplates).map(([type, template]) => [type, compileTemplate(template, place)]),
      ),
      isText: one.contentHandling === 'CONVERT_TO_TEXT',
    };
  });

  function statusFor(call: Call): string {
    const type =
      (headerOf(call.request, 'content-type') ?? 'application/json').split(';')[0]?.trim().toLowerCase() ?? '';
    const status = statuses.get(type);
    // "Unable to transform request".
    if (status !== undefined && areBinary(binaryTypes, type) && !readsBinary)
      throw new GatewayError('API_CONFIGURATION_ERROR');
    if (status !== undefined) return status;
    if (passthroughBehavior === 'never' || (passthroughBehavior === 'when_no_templates' && statuses.size > 0)) {
      throw new GatewayError('UNSUPPORTED_MEDIA_TYPE');
    }
    // WHEN_NO_MATCH passes the body through; a mock that finds no status in it fails.
    const passed = statusPattern.exec(call.body.toString())?.[1];
    if (passed === undefined) throw new GatewayError('API_CONFIGURATION_ERROR');
    return passed;
  }

  return (call) => {
    const status = statusFor(call);
    const response =
      responses.find(({ pattern }) => pattern?.test(status)) ?? responses.find(({ pattern }) => pattern === undefined);
    if (!response) throw new GatewayError('API_CONFIGURATION_ERROR');
    const accept = headerOf(call.request, 'accept');
    const [type, template] = bodyFor(response.bodies, accept);
    const text = template(call);
    // Text for a client that accepts a binary type is taken for base64, which a message is not, unless it is converted to text.
    const body = areBinary(binaryTypes, accept) && !response.isText ? decodeBase64(text) : text;
    if (body === undefined) throw new GatewayError('API_CONFIGURATION_ERROR');
    return {
      status: response.status,
      headers: {
        'Content-Type': type,
        ...Object.fromEntries(
          response.headers.flatMap(([name, value]) => {
            const found = value(call);
            return found === undefined ? [] : [[name, found]];
          }),
        ),
      },
      body,
    };
  };
}

const statusPattern = /^\s*\{\s*"?statusCode"?\s*:\s*"?(\d{3})"?\s*\}\s*$/;

function statusIn(template: string, place: string): string {
  const status = statusPattern.exec(template)?.[1];
  if (status === undefined)
    throw new Error(`${place}: the request template ${template} is more than {"statusCode": …}`);
  return status;
}

/** API Gateway uses only the first media type of `Accept` (important notes), otherwise JSON or the only template. */
function bodyFor(bodies: Response['bodies'], accept = ''): readonly [type: string, body: Template] {
  const wanted = accept.split(/[,;]/)[0]?.trim() ?? '';
  const exact = bodies.get(wanted);
  if (exact) return [wanted, exact];
  const json = bodies.get('application/json');
  return json ? ['application/json', json] : ([...bodies][0] ?? ['application/json', EMPTY_BODY]);
}
