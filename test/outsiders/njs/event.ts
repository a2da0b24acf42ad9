/** A viewer request in a CloudFront function's format (CloudFront developer guide, "Event structure"). */
export interface ViewerRequest {
  readonly method: string;
  readonly uri: string;
  readonly querystring: Readonly<Record<string, Value>>;
  readonly headers: Readonly<Record<string, Value>>;
  readonly cookies: Readonly<Record<string, Value>>;
}

interface Value {
  readonly value: string;
  readonly multiValue?: readonly { readonly value: string }[];
}

export interface ViewerRequestEvent {
  readonly version: '1.0';
  readonly context: object;
  readonly viewer: { readonly ip: string };
  readonly request: ViewerRequest;
}

/** The event of a GET request. */
export function viewerRequest(uri: string, querystring: ViewerRequest['querystring'] = {}): ViewerRequestEvent {
  return {
    version: '1.0',
    context: {
      distributionDomainName: 'd111111abcdef8.cloudfront.net',
      distributionId: 'EDFDVBD6EXAMPLE',
      eventType: 'viewer-request',
      requestId: 'EXAMPLEntjQpEXAMPLE_SG5Z-EXAMPLEPmPfEXAMPLEu3EqEXAMPLE==',
    },
    viewer: { ip: '198.51.100.11' },
    request: {
      method: 'GET',
      uri,
      querystring,
      headers: { host: { value: 'd111111abcdef8.cloudfront.net' } },
      cookies: {},
    },
  };
}
