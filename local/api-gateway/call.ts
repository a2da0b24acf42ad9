/** One request on its way through the gateway. */

/** Named values as API Gateway hands them on: the last of each name, and all of them; names as they were sent. */
export interface Values {
  readonly single: Readonly<Record<string, string>>;
  readonly multi: Readonly<Record<string, string[]>>;
}

/** The request as it came in, without its body. */
export interface GatewayRequest {
  readonly method: string;
  /** As sent, without the stage and the query; its escapes are sound. */
  readonly path: string;
  readonly headers: Values;
  readonly query: Values;
  readonly protocol: string;
  readonly sourceIp: string;
}

/**
 * What `$context` holds and a function finds as `requestContext`: API Gateway developer guide, "Variables for access
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

/** A request with all that is known about it so far. */
export interface Call {
  readonly request: GatewayRequest;
  readonly context: RequestContext;
  readonly stageVariables: Readonly<Record<string, string>>;
  pathParameters: Readonly<Record<string, string>>;
  /** Empty until everything that can refuse the call has let it through. */
  body: string;
}

/** What goes back to the client; a header may have several values. */
export interface GatewayReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[]>>;
  readonly body: string;
}

/** The value of a header whatever its case, the last one when it was sent more than once. */
export function headerOf({ headers }: GatewayRequest, name: string): string | undefined {
  const wanted = name.toLowerCase();
  return Object.entries(headers.single).find(([other]) => other.toLowerCase() === wanted)?.[1];
}
