import { SECRET } from './functions';

/** An event of a function and its expected outcome, in an account without any data. */
export interface FunctionCase {
  readonly event: unknown;
  /** `response` of the handler, or `error` as the runtime reports it to Lambda. */
  readonly outcome: { readonly response: Expected } | { readonly error: Expected };
}

const SCOPES = 'command:create command:read command:update stream:share share:read share:manage resources:read';
const CALLER = { clientId: 'a'.repeat(26), organisation: '7k2m9qx4', scopes: SCOPES, expiresAt: '4102444800' };
const JOB = 'job-7k2m9qx4-01jd3m8fz4tq6v0x2y5a7c9e1g';
const SHARE = 'share-7k2m9qx4-01jd3m8fz4abcdefghjkmnpqrstvwxyz0123';
const METHOD_ARN = 'arn:aws:execute-api:eu-central-1:000000000000:a1b2c3d4e5/v3/GET/v3/jobs';

/** A request in API Gateway's format (API Gateway developer guide, "Lambda proxy integrations"). */
const request = (fields: object = {}, authorizer?: object) => ({
  resource: '/',
  path: '/',
  httpMethod: 'GET',
  headers: { host: 'a1b2c3d4e5.execute-api.eu-central-1.amazonaws.com' },
  multiValueHeaders: {},
  queryStringParameters: null,
  multiValueQueryStringParameters: null,
  pathParameters: null,
  stageVariables: null,
  body: null,
  isBase64Encoded: false,
  ...fields,
  requestContext: {
    requestId: 'c6af9ac6-7b61-11e6-9a41-93e8deadbeef',
    identity: { apiKeyId: null },
    ...(authorizer && { authorizer }),
  },
});

/** An HTTP answer, with the headers of all answers. */
const answered = (statusCode: number, body: Expected) => ({
  response: { statusCode, headers: { 'Content-Type': 'application/json', 'x-request-id': /^[\w-]+$/ }, body },
});

const withoutCaller: FunctionCase = { event: request(), outcome: answered(401, { error: 'Unauthorized' }) };
const asCaller = (fields: object, statusCode: number, body: Expected): FunctionCase => ({
  event: request(fields, CALLER),
  outcome: answered(statusCode, body),
});

/** A client's WebSocket message (API Gateway developer guide, "Integration requests in WebSocket APIs"). */
const frame = (message: object) => ({
  requestContext: { connectionId: 'L0SM9cOFvHcCIhw=', requestId: 'Zk9_3HDfLiAFfwQ=', eventType: 'MESSAGE' },
  body: JSON.stringify(message),
  isBase64Encoded: false,
});

const replied = (body: Expected) => ({ response: { statusCode: 200, body } });

/** A handshake forwarded by CloudFront. */
const handshake = (queryStringParameters: object | null) => ({
  ...frame({}),
  headers: { 'X-Origin-Verify': SECRET },
  queryStringParameters,
});

const failed = (errorType: RegExp, errorMessage: RegExp) => ({ error: { errorType, errorMessage } });
const notUnderstood = failed(/Zod|Error/, /./);

/** A stream record of an unknown item. */
const unknownRecord = {
  eventName: 'INSERT',
  dynamodb: { Keys: { other: { S: 'x' } }, NewImage: { other: { S: 'x' } }, SequenceNumber: '100000000005391461882' },
};
const noFailure = { response: { batchItemFailures: [] } };
const oneFailure = (itemIdentifier: string) => ({ response: { batchItemFailures: [{ itemIdentifier }] } });
const nothing: FunctionCase = { event: { Records: [] }, outcome: noFailure };
/** It is sent to the dead-letter queue at once, so that it does not block later records. */
const unknownItem: FunctionCase = { event: { Records: [unknownRecord] }, outcome: noFailure };
const message = { messageId: '059f36b4-87a3-44ab-83d2-661975830a7d', body: '{}' };

/**
 * Each function's events and expected outcomes, by prefix of its logical id. The first matching row counts; every function
 * needs one.
 */
export const functionCases: Readonly<Record<string, readonly FunctionCase[]>> = {
  Endpointsissuetoken: [
    { event: request(), outcome: answered(400, { error: 'invalid_request', error_description: /./ }) },
    {
      event: request({
        body: JSON.stringify({ grant_type: 'client_credentials', client_id: 'a', client_secret: 'b' }),
      }),
      outcome: answered(401, { error: 'invalid_client' }),
    },
  ],
  Endpointslistjobs: [withoutCaller, asCaller({}, 200, { success: true, jobs: [], count: 0 })],
  Endpointsgetjobtrack: [
    withoutCaller,
    asCaller({ pathParameters: { jobId: JOB } }, 404, { error: 'Job not found' }),
    asCaller(
      {
        pathParameters: { jobId: JOB },
        headers: { Accept: 'text/html' },
        multiValueHeaders: { Accept: ['text/html'] },
      },
      406,
      { error: 'Not acceptable' },
    ),
  ],
  Endpointsgetjob: [withoutCaller, asCaller({ pathParameters: { jobId: JOB } }, 404, { error: 'Job not found' })],
  Endpointsupdatejob: [withoutCaller, asCaller({ pathParameters: { jobId: JOB } }, 400, { error: 'invalid_request' })],
  Endpointslistshares: [withoutCaller, asCaller({}, 200, { success: true, shares: [], count: 0 })],
  Endpointsgetshare: [
    withoutCaller,
    asCaller({ pathParameters: { shareCode: SHARE } }, 404, { error: 'Share not found' }),
  ],
  Endpointslistresources: [withoutCaller, asCaller({}, 200, { success: true, resources: [], count: 0 })],
  Endpointsgetlimits: [withoutCaller, asCaller({}, 200, { success: true, limits: { connections: { used: 0 } } })],
  // All other endpoints.
  Endpoints: [withoutCaller],
  AuthorizerAuthorize: [
    {
      event: { type: 'TOKEN', methodArn: METHOD_ARN, authorizationToken: 'Bearer none' },
      outcome: { response: { principalId: 'denied', context: { refusal: 'the token is malformed' } } },
    },
  ],
  RealtimeWebSocketConnect: [
    { event: frame({}), outcome: { response: { statusCode: 403, body: { error: 'Forbidden' } } } },
    { event: handshake(null), outcome: { response: { statusCode: 401, body: { error: 'Unauthorized' } } } },
    {
      event: handshake({ channel: 'telemetry', shareCode: SHARE }),
      outcome: { response: { statusCode: 404, body: { error: 'Share not found' } } },
    },
  ],
  RealtimeWebSocketDisconnect: [{ event: frame({}), outcome: { response: { statusCode: 200 } } }],
  RealtimeActionsAnswerMessage: [
    { event: frame({ action: 'ping', id: 'a' }), outcome: replied({ type: 'pong', timestamp: /Z$/, id: 'a' }) },
  ],
  // All other actions, on a connection without a session.
  RealtimeActions: [{ event: frame({ action: 'any', id: 7 }), outcome: replied({ type: 'error', error: /./, id: 7 }) }],
  RealtimeMqttAuthorizeConnection: [
    {
      event: { protocolData: { mqtt: { username: 'a', password: 'bm9uZQ==', clientId: 'a' } } },
      outcome: { response: { isAuthenticated: false } },
    },
    { event: {}, outcome: { response: { isAuthenticated: false } } },
  ],
  RealtimeBroadcastAuthorizeViewer: [
    {
      event: { protocolData: { mqtt: { username: 'a', password: 'bm9uZQ==', clientId: 'a' } } },
      outcome: { response: { isAuthenticated: false } },
    },
    { event: {}, outcome: { response: { isAuthenticated: false } } },
  ],
  RealtimeMqttCountSubscriptions: [
    { event: { clientId: 'stranger', timestamp: 1, eventType: 'connected' }, outcome: { response: null } },
    { event: {}, outcome: notUnderstood },
  ],
  RealtimeFanOutStatusFanOut: [nothing, unknownItem],
  RealtimeFanOutRetainStatus: [nothing, { event: { Records: [message] }, outcome: oneFailure(message.messageId) }],
  RealtimeSnapshotsSendSnapshot: [
    // Without a session there is nothing to send.
    { event: { kind: 'subscription', connectionId: 'a', followed: 'device-a' }, outcome: { response: null } },
    { event: {}, outcome: notUnderstood },
  ],
  RealtimeViewerCountsCountViewers: [
    nothing,
    { event: { Records: [message] }, outcome: oneFailure(message.messageId) },
  ],
  ShareExpiryOnShareChange: [nothing, unknownItem],
  ShareExpiryExpireShares: [nothing, { event: { Records: [message] }, outcome: oneFailure(message.messageId) }],
  RealtimeHeartbeat: [{ event: {}, outcome: { response: null } }],
  RealtimeTelemetryCheckDevices: [nothing, { event: { Records: [message] }, outcome: oneFailure(message.messageId) }],
  RealtimeReconcileFunction: [{ event: {}, outcome: { response: null } }],
  PlatformIntegrationOutboundEventsPublishPlatformEvents: [nothing, unknownItem],
  // A malformed event of the bus is sent to the dead-letter queue.
  PlatformIntegrationInboundEventsConsumePlatformEvents: [nothing, { event: {}, outcome: { response: null } }],
  SimulatedFleetConsumeJobEvents: [{ event: {}, outcome: notUnderstood }],
  SimulatedFleetFly: [{ event: {}, outcome: { response: null } }],
  // The CDK's functions for custom resources, which answer to the URL in the event, missing here.
  AWS679f53fac002430cb0da5b7982bd2287: [{ event: {}, outcome: notUnderstood }],
  CustomS3AutoDeleteObjectsCustomResourceProvider: [{ event: {}, outcome: notUnderstood }],
};

/** Expected value: fields and elements likewise; a pattern matches a text. */
type Expected =
  | RegExp
  | string
  | number
  | boolean
  | null
  | readonly Expected[]
  | { readonly [field: string]: Expected };

/**
 * Differences of a value from the expected one. Additional fields are allowed, additional elements are not. A text is
 * parsed as JSON where fields are expected.
 * @returns one text per difference, with its path
 */
export function differences(expected: Expected, value: unknown, path = 'it'): string[] {
  const wrong = [`${path} is ${value === undefined ? 'missing' : JSON.stringify(value)} instead of ${shown(expected)}`];
  if (expected instanceof RegExp) return typeof value === 'string' && expected.test(value) ? [] : wrong;
  if (typeof expected !== 'object' || expected === null) return value === expected ? [] : wrong;
  const given = typeof value === 'string' ? parsed(value) : value;
  if (typeof given !== 'object' || given === null) return wrong;
  if (isList(expected)) {
    if (!Array.isArray(given) || given.length !== expected.length) return wrong;
    return expected.flatMap((one, index) => differences(one, given[index], `${path}[${index}]`));
  }
  const fields = given as Readonly<Record<string, unknown>>;
  return Object.entries(expected).flatMap(([name, one]) => differences(one, fields[name], `${path}.${name}`));
}

const isList = (expected: object): expected is readonly Expected[] => Array.isArray(expected);

const shown = (expected: Expected) => (expected instanceof RegExp ? String(expected) : JSON.stringify(expected));

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
