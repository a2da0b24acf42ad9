/**
 * Replies that API Gateway generates itself: API Gateway developer guide, "Gateway response types for API Gateway" and
 * "Gateway responses for REST APIs"; texts and error types as the service sends them.
 */
import * as z from 'zod';
import type { Call, GatewayReply } from './integrations/call';
import { compileMapping, compileTemplate, type Mapping, type Template } from './integrations/mapping';

interface Default {
  readonly status: number;
  readonly message: string | null;
  /** Value of `x-amzn-ErrorType`. */
  readonly errorType: string;
}

const DEFAULTS = {
  ACCESS_DENIED: {
    status: 403,
    message: 'User is not authorized to access this resource',
    errorType: 'AccessDeniedException',
  },
  API_CONFIGURATION_ERROR: { status: 500, message: 'Internal server error', errorType: 'InternalServerErrorException' },
  AUTHORIZER_CONFIGURATION_ERROR: { status: 500, message: null, errorType: 'AuthorizerConfigurationException' },
  AUTHORIZER_FAILURE: { status: 500, message: null, errorType: 'AuthorizerFailureException' },
  // Errors without a response type of their own.
  DEFAULT_4XX: { status: 400, message: 'Bad Request', errorType: 'BadRequestException' },
  DEFAULT_5XX: { status: 502, message: 'Internal server error', errorType: 'InternalServerErrorException' },
  INTEGRATION_TIMEOUT: {
    status: 504,
    message: 'Endpoint request timed out',
    errorType: 'InternalServerErrorException',
  },
  INVALID_API_KEY: { status: 403, message: 'Forbidden', errorType: 'ForbiddenException' },
  MISSING_AUTHENTICATION_TOKEN: {
    status: 403,
    message: 'Missing Authentication Token',
    errorType: 'MissingAuthenticationTokenException',
  },
  REQUEST_TOO_LARGE: { status: 413, message: 'Request Too Long', errorType: 'RequestTooLongException' },
  THROTTLED: { status: 429, message: 'Too Many Requests', errorType: 'TooManyRequestsException' },
  UNAUTHORIZED: { status: 401, message: 'Unauthorized', errorType: 'UnauthorizedException' },
  UNSUPPORTED_MEDIA_TYPE: {
    status: 415,
    message: 'Unsupported Media Type',
    errorType: 'UnsupportedMediaTypeException',
  },
} satisfies Record<string, Default>;

export type ResponseType = keyof typeof DEFAULTS;

/** Ends a request with a gateway response. `status` and `message` override those of the type. */
export class GatewayError extends Error {
  constructor(
    readonly responseType: ResponseType,
    readonly details: Partial<Default> = {},
  ) {
    super(responseType);
    this.name = 'GatewayError';
  }
}

/**
 * Types of `x-amazon-apigateway-gateway-responses`: "Gateway response types for API Gateway", without REQUEST_TOO_LARGE,
 * which can't be customised (important notes).
 */
export const REPLACEABLE_TYPES = [
  'ACCESS_DENIED',
  'API_CONFIGURATION_ERROR',
  'AUTHORIZER_CONFIGURATION_ERROR',
  'AUTHORIZER_FAILURE',
  'BAD_REQUEST_BODY',
  'BAD_REQUEST_PARAMETERS',
  'DEFAULT_4XX',
  'DEFAULT_5XX',
  'EXPIRED_TOKEN',
  'INTEGRATION_FAILURE',
  'INTEGRATION_TIMEOUT',
  'INVALID_API_KEY',
  'INVALID_SIGNATURE',
  'MISSING_AUTHENTICATION_TOKEN',
  'QUOTA_EXCEEDED',
  'RESOURCE_NOT_FOUND',
  'THROTTLED',
  'UNAUTHORIZED',
  'UNSUPPORTED_MEDIA_TYPE',
  'WAF_FILTERED',
] as const;

/** Extension `x-amazon-apigateway-gateway-responses.gatewayResponse`. */
export const gatewayResponse = z.strictObject({
  statusCode: z
    .string()
    .regex(/^[1-5]\d\d$/)
    .transform(Number)
    .optional(),
  responseParameters: z.record(z.string(), z.string()).default({}),
  responseTemplates: z.record(z.string(), z.string()).default({}),
});

type GatewayResponse = z.infer<typeof gatewayResponse>;

/** The reply to a request that ends with an error. */
export type RenderError = (error: GatewayError, call: Call) => GatewayReply;

interface Customised {
  readonly status: number | undefined;
  readonly headers: readonly (readonly [name: string, value: Mapping])[];
  readonly contentType: string;
  readonly template: Template;
}

const DEFAULT_TEMPLATE = '{"message":$context.error.messageString}';
const HEADER = 'gatewayresponse.header.';

/**
 * Compiles the customised responses of an API, by type, into one render function. @throws Error for an unsupported
 * template or parameter
 */
export function createGatewayResponses(customised: Readonly<Partial<Record<string, GatewayResponse>>>): RenderError {
  const byType = new Map(
    Object.entries(customised).flatMap(([type, one]) => (one ? [[type, compile(type, one)] as const] : [])),
  );
  const plain = compile('none', { responseParameters: {}, responseTemplates: {} });

  return ({ responseType, details }, call) => {
    const fallback = { ...DEFAULTS[responseType], ...details };
    const response = customisation(responseType, fallback.status) ?? plain;
    const { message } = fallback;
    call.context.error = { message, messageString: JSON.stringify(message), responseType };
    return {
      status: response.status ?? fallback.status,
      headers: {
        'Content-Type': response.contentType,
        'x-amzn-ErrorType': fallback.errorType,
        ...Object.fromEntries(response.headers.map(([name, value]) => [name, value(call) ?? ''])),
      },
      body: response.template(call),
    };
  };

  function customisation(type: ResponseType, status: number): Customised | undefined {
    // "Customizing the default gateway response for 413 REQUEST_TOO_LARGE isn't currently supported" (important notes).
    if (type === 'REQUEST_TOO_LARGE') return undefined;
    return byType.get(type) ?? byType.get(status < 500 ? 'DEFAULT_4XX' : 'DEFAULT_5XX');
  }
}

function compile(type: string, response: GatewayResponse): Customised {
  const place = `Gateway response ${type}`;
  const [contentType, template] = Object.entries(response.responseTemplates)[0] ?? [
    'application/json',
    DEFAULT_TEMPLATE,
  ];
  const headers = Object.entries(response.responseParameters).map(([parameter, expression]) => {
    if (!parameter.startsWith(HEADER)) throw new Error(`${place}: the parameter ${parameter} is not supported`);
    return [parameter.slice(HEADER.length), compileMapping(expression, place)] as const;
  });
  return { status: response.statusCode, headers, contentType, template: compileTemplate(template, place) };
}
