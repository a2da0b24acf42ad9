import { ResponseType, type RestApi } from 'aws-cdk-lib/aws-apigateway';
import { gatewayRefusals } from '../../contract/refusals';

interface GatewayResponse {
  readonly type: ResponseType;
  /** Default: API Gateway's own status. */
  readonly status?: string;
  /** Body template, in which API Gateway replaces `$context` variables. */
  readonly body: string;
  readonly headers?: Readonly<Record<string, string>>;
}

const error = (text: string) => JSON.stringify({ error: text });

/**
 * Errors that API Gateway generates itself, in the shape of every other error (spec section 7). Types that are not listed,
 * such as 413 for a request that is too large, use the two defaults.
 * See https://docs.aws.amazon.com/apigateway/latest/developerguide/supported-gateway-response-types.html.
 */
const responses: readonly GatewayResponse[] = [
  {
    type: ResponseType.UNAUTHORIZED,
    status: '401',
    body: error('Unauthorized'),
    headers: { 'WWW-Authenticate': "'Bearer'" },
  },
  { type: ResponseType.ACCESS_DENIED, status: '403', body: JSON.stringify(gatewayRefusals.ACCESS_DENIED) },
  // Only the token endpoint requires a key.
  { type: ResponseType.INVALID_API_KEY, status: '403', body: JSON.stringify(gatewayRefusals.INVALID_API_KEY) },
  // API Gateway's type for an unknown path.
  { type: ResponseType.MISSING_AUTHENTICATION_TOKEN, status: '404', body: error('Not found') },
  { type: ResponseType.THROTTLED, status: '429', body: error('Too many requests') },
  { type: ResponseType.QUOTA_EXCEEDED, status: '429', body: error('Too many requests') },
  // The variable includes its quotes. A status here would replace that of all types that are not listed.
  { type: ResponseType.DEFAULT_4XX, body: '{"error":$context.error.messageString}' },
  {
    type: ResponseType.DEFAULT_5XX,
    status: '500',
    body: '{"error":"Internal server error","requestId":"$context.requestId"}',
  },
];

/** Adds these responses to the API; each carries `x-request-id`. */
export function addGatewayResponses(api: RestApi): void {
  for (const { type, status, body, headers } of responses) {
    api.addGatewayResponse(type.responseType, {
      type,
      ...(status !== undefined && { statusCode: status }),
      templates: { 'application/json': body },
      responseHeaders: { 'x-request-id': 'context.requestId', ...headers },
    });
  }
}
