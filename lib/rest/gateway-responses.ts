import { gatewayRefusals } from '../../contract/refusals';

/** API Gateway developer guide, "x-amazon-apigateway-gateway-responses.gatewayResponse object". */
interface GatewayResponse {
  /** Default: API Gateway's own status. */
  readonly statusCode?: string;
  readonly responseParameters: Readonly<Record<string, string>>;
  /** Body by content type, in which API Gateway replaces `$context` variables. */
  readonly responseTemplates: Readonly<Record<string, string>>;
}

/** Each response carries `x-request-id`. */
const response = (
  body: string,
  statusCode?: string,
  headers: Readonly<Record<string, string>> = {},
): GatewayResponse => ({
  ...(statusCode !== undefined && { statusCode }),
  responseParameters: { 'gatewayresponse.header.x-request-id': 'context.requestId', ...headers },
  responseTemplates: { 'application/json': body },
});

const challenge = 'gatewayresponse.header.WWW-Authenticate';

const error = (text: string) => JSON.stringify({ error: text });

/**
 * Errors that API Gateway generates itself, by its type, in the shape of every other error (spec section 7). Types that are not
 * listed, such as 413 for a request that is too large, use the two defaults.
 * See https://docs.aws.amazon.com/apigateway/latest/developerguide/supported-gateway-response-types.html.
 */
export const gatewayResponses: Readonly<Record<string, GatewayResponse>> = {
  // Without a token; and a token of which the authorizer can't tell yet whether it is valid.
  UNAUTHORIZED: response(error('Unauthorized'), '401', { [challenge]: "'Bearer'" }),
  // A token that the authorizer denies: its own 403s come from the functions. RFC 6750 section 3.1.
  ACCESS_DENIED: response(JSON.stringify(gatewayRefusals.ACCESS_DENIED), '401', {
    [challenge]: `'Bearer error="invalid_token"'`,
  }),
  // Only the token endpoint requires a key.
  INVALID_API_KEY: response(JSON.stringify(gatewayRefusals.INVALID_API_KEY), '403'),
  // API Gateway's type for an unknown path.
  MISSING_AUTHENTICATION_TOKEN: response(error('Not found'), '404'),
  THROTTLED: response(error('Too many requests'), '429'),
  QUOTA_EXCEEDED: response(error('Too many requests'), '429'),
  // The variable includes its quotes. A status here would replace that of all types that are not listed.
  DEFAULT_4XX: response('{"error":$context.error.messageString}'),
  DEFAULT_5XX: response('{"error":"Internal server error","requestId":"$context.requestId"}', '500'),
};
