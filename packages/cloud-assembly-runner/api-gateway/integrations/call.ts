/**
 * Headers or query parameters as API Gateway passes them on: the last value per name, and all values. Names keep their
 * case.
 */
export interface Values {
  readonly single: Readonly<Record<string, string>>;
  readonly multi: Readonly<Record<string, string[]>>;
}

/** The received request, without its body. */
export interface GatewayRequest {
  readonly method: string;
  /** As sent, without stage and query. Percent-encoding is valid. */
  readonly path: string;
  readonly headers: Values;
  readonly query: Values;
  readonly protocol: string;
  readonly sourceIp: string;
}

/**
 * `$context` of templates and `requestContext` of function events: API Gateway developer guide, "Variables for access
 * logging" and "Input format of a Lambda function for proxy integration".
 */
export interface RequestContext {
  readonly accountId: string;
  readonly apiId: string;
  readonly domainName: string;
  readonly domainPrefix: string;
  readonly extendedRequestId: string;
  readonly httpMethod: string;
  readonly identity: Record<string, string | null>;
  readonly path: string;
  readonly protocol: string;
  readonly requestId: string;
  readonly requestTime: string;
  readonly requestTimeEpoch: number;
  readonly stage: string;
  resourceId: string | null;
  resourcePath: string | null;
  authorizer?: Readonly<Record<string, string | number>>;
  error?: { readonly message: string | null; readonly messageString: string; readonly responseType: string };
}

/** A request and what the gateway has learned about it so far. */
export interface Call {
  readonly request: GatewayRequest;
  readonly context: RequestContext;
  readonly stageVariables: Readonly<Record<string, string>>;
  pathParameters: Readonly<Record<string, string>>;
  /** As received; empty until all checks have passed. */
  body: Buffer;
}

/** Reply to the client; a header may have several values. */
export interface GatewayReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[]>>;
  readonly body: string | Buffer;
}

/** Value of a header, case-insensitive; the last one if it was sent several times. */
export function headerOf({ headers }: GatewayRequest, name: string): string | undefined {
  const wanted = name.toLowerCase();
  return Object.entries(headers.single).find(([other]) => other.toLowerCase() === wanted)?.[1];
}
