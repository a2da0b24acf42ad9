/**
 * MOCK integrations: API Gateway developer guide, "Set up a mock integration for an API" and "Method request behavior
 * for payloads without mapping templates" (passthrough).
 */
import * as z from 'zod';
import { headerOf, type Call, type GatewayReply } from './call';
import { GatewayError } from '../gateway-responses';
import { compileMapping, compileTemplate, type Mapping, type Template } from './mapping';

export const mockProperties = z.object({
  Type: z.literal('MOCK'),
  PassthroughBehavior: z.enum(['WHEN_NO_MATCH', 'WHEN_NO_TEMPLATES', 'NEVER']).default('WHEN_NO_MATCH'),
  RequestTemplates: z.record(z.string(), z.string()).default({}),
  IntegrationResponses: z
    .array(
      z.object({
        StatusCode: z.coerce.string(),
        SelectionPattern: z.string().optional(),
        ResponseParameters: z.record(z.string(), z.string()).default({}),
        ResponseTemplates: z.record(z.string(), z.string()).default({}),
      }),
    )
    .default([]),
});

export const methodResponses = z
  .array(z.object({ StatusCode: z.coerce.string(), ResponseParameters: z.record(z.string(), z.unknown()).default({}) }))
  .default([]);

interface Response {
  readonly status: number;
  readonly pattern: RegExp | undefined;
  readonly headers: readonly (readonly [name: string, value: Mapping])[];
  readonly bodies: ReadonlyMap<string, Template>;
}

const HEADER = 'method.response.header.';
const EMPTY_BODY: Template = () => '';

/**
 * Compiles a mock integration.
 * @param place name of the method in errors
 * @throws Error for an unsupported template, and for a response or header that the method does not declare, which
 *   CloudFormation refuses too
 */
export function createMock(
  properties: z.infer<typeof mockProperties>,
  declared: z.infer<typeof methodResponses>,
  place: string,
): (call: Call) => GatewayReply {
  const { PassthroughBehavior, RequestTemplates, IntegrationResponses } = properties;
  const statuses = new Map(
    Object.entries(RequestTemplates).map(
      ([type, template]) => [type.toLowerCase(), statusIn(template, place)] as const,
    ),
  );
  const responses = IntegrationResponses.map((one): Response => {
    const method = declared.find(({ StatusCode }) => StatusCode === one.StatusCode);
    if (!method) throw new Error(`${place}: the method declares no response ${one.StatusCode}`);
    const headers = Object.entries(one.ResponseParameters).map(([parameter, expression]) => {
      if (!parameter.startsWith(HEADER)) throw new Error(`${place}: the parameter ${parameter} is not supported`);
      if (!(parameter in method.ResponseParameters))
        throw new Error(`${place}: the method does not declare ${parameter}`);
      return [parameter.slice(HEADER.length), compileMapping(expression, place)] as const;
    });
    return {
      status: Number(one.StatusCode),
      pattern: one.SelectionPattern === undefined ? undefined : new RegExp(`^(?:${one.SelectionPattern})$`),
      headers,
      bodies: new Map(
        Object.entries(one.ResponseTemplates).map(([type, template]) => [type, compileTemplate(template, place)]),
      ),
    };
  });

  function statusFor(call: Call): string {
    const type =
      (headerOf(call.request, 'content-type') ?? 'application/json').split(';')[0]?.trim().toLowerCase() ?? '';
    const status = statuses.get(type);
    if (status !== undefined) return status;
    if (PassthroughBehavior === 'NEVER' || (PassthroughBehavior === 'WHEN_NO_TEMPLATES' && statuses.size > 0)) {
      throw new GatewayError('UNSUPPORTED_MEDIA_TYPE');
    }
    // WHEN_NO_MATCH passes the body through; a mock that finds no status in it fails.
    const passed = statusPattern.exec(call.body)?.[1];
    if (passed === undefined) throw new GatewayError('API_CONFIGURATION_ERROR');
    return passed;
  }

  return (call) => {
    const status = statusFor(call);
    const response =
      responses.find(({ pattern }) => pattern?.test(status)) ?? responses.find(({ pattern }) => pattern === undefined);
    if (!response) throw new GatewayError('API_CONFIGURATION_ERROR');
    const [type, body] = bodyFor(response.bodies, headerOf(call.request, 'accept'));
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
      body: body(call),
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
