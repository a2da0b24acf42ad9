import type { Expected } from '../differences';
import { SECRET } from './functions';

/** An event that a function gets, in an account that holds nothing, and what must come of it. */
export interface Trial {
  readonly event: unknown;
  /** `response` is what the handler gives, `error` what the runtime tells Lambda of. */
  readonly outcome: { readonly response: Expected } | { readonly error: Expected };
}

const SCOPES = 'command:create command:read command:update stream:share share:read share:manage resources:read';
const CALLER = { clientId: 'a'.repeat(26), organisation: '7k2m9qx4', scopes: SCOPES, expiresAt: '4102444800' };
const JOB = 'job-7k2m9qx4-01jd3m8fz4tq6v0x2y5a7c9e1g';
const SHARE = 'share-7k2m9qx4-01jd3m8fz4abcdefghjkmnpqrstvwxyz0123';
const METHOD_ARN = 'arn:aws:execute-api:eu-central-1:000000000000:a1b2c3d4e5/v3/GET/v3/jobs';

/** A request as API Gateway hands it on (API Gateway developer guide, "Lambda proxy integrations"). */
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

/** An answer over HTTP, with the headers that every one has. */
const answered = (statusCode: number, body: Expected) => ({
  response: { statusCode, headers: { 'Content-Type': 'application/json', 'x-request-id': /^[\w-]+$/ }, body },
});

const withoutCaller: Trial = { event: request(), outcome: answered(401, { error: 'Unauthorized' }) };
const asCaller = (fields: object, statusCode: number, body: Expected): Trial => ({
  event: request(fields, CALLER),
  outcome: answered(statusCode, body),
});

/** A frame of a client (API Gateway developer guide, "Integration requests in WebSocket APIs"). */
const frame = (message: object) => ({
  requestContext: { connectionId: 'L0SM9cOFvHcCIhw=', requestId: 'Zk9_3HDfLiAFfwQ=', eventType: 'MESSAGE' },
  body: JSON.stringify(message),
  isBase64Encoded: false,
});

const replied = (body: Expected) => ({ response: { statusCode: 200, body } });

/** A handshake that CloudFront has handed on. */
const handshake = (queryStringParameters: object | null) => ({
  ...frame({}),
  headers: { 'X-Origin-Verify': SECRET },
  queryStringParameters,
});

/** Of a socket that has no session. */
const action = (name: string): readonly Trial[] => [
  { event: frame({ action: name, id: 7 }), outcome: replied({ type: 'error', error: /./, id: 7 }) },
];

const failed = (errorType: RegExp, errorMessage: RegExp) => ({ error: { errorType, errorMessage } });
const notUnderstood = failed(/Zod|Error/, /./);

/** A record of a stream, of an item that nobody ever wrote. */
const unknownRecord = {
  eventName: 'INSERT',
  dynamodb: { Keys: { other: { S: 'x' } }, NewImage: { other: { S: 'x' } }, SequenceNumber: '100000000005391461882' },
};
const noFailure = { response: { batchItemFailures: [] } };
const oneFailure = (itemIdentifier: string) => ({ response: { batchItemFailures: [{ itemIdentifier }] } });
const nothing: Trial = { event: { Records: [] }, outcome: noFailure };
/** It is put aside at once, so that it keeps nothing waiting. */
const unknownItem: Trial = { event: { Records: [unknownRecord] }, outcome: noFailure };
const message = { messageId: '059f36b4-87a3-44ab-83d2-661975830a7d', body: '{}' };

/** What each function must make of its events, by the beginning of its logical id. Every function has a row. */
export const trials: Readonly<Record<string, readonly Trial[]>> = {
  Endpointsissuetoken: [
    { event: request(), outcome: answered(400, { error: 'invalid_request', error_description: /./ }) },
    {
      event: request({
        body: JSON.stringify({ grant_type: 'client_credentials', client_id: 'a', client_secret: 'b' }),
      }),
      outcome: answered(401, { error: 'invalid_client' }),
    },
  ],
  Endpointscreatejob: [withoutCaller],
  Endpointslistjobs: [withoutCaller, asCaller({}, 200, { success: true, jobs: [], count: 0 })],
  Endpointsgetjob: [withoutCaller, asCaller({ pathParameters: { jobId: JOB } }, 404, { error: 'Job not found' })],
  Endpointsupdatejob: [withoutCaller, asCaller({ pathParameters: { jobId: JOB } }, 400, { error: 'invalid_request' })],
  Endpointsdeletejob: [withoutCaller],
  Endpointscanceljob: [withoutCaller],
  Endpointscreateshare: [withoutCaller],
  Endpointslistshares: [withoutCaller, asCaller({}, 200, { success: true, shares: [], count: 0 })],
  Endpointsgetshare: [
    withoutCaller,
    asCaller({ pathParameters: { shareCode: SHARE } }, 404, { error: 'Share not found' }),
  ],
  Endpointsrevokeshare: [withoutCaller],
  Endpointslistshareresources: [withoutCaller],
  Endpointslistresources: [withoutCaller, asCaller({}, 200, { success: true, resources: [], count: 0 })],
  AuthorizerAuthorize: [
    {
      event: { type: 'TOKEN', methodArn: METHOD_ARN, authorizationToken: 'Bearer none' },
      outcome: failed(/^Error$/, /^Unauthorized$/),
    },
  ],
  StatusChannelsSocketsConnect: [
    { event: frame({}), outcome: { response: { statusCode: 403, body: { error: 'Forbidden' } } } },
    { event: handshake(null), outcome: { response: { statusCode: 401, body: { error: 'Unauthorized' } } } },
    {
      event: handshake({ channel: 'telemetry', shareCode: SHARE }),
      outcome: { response: { statusCode: 404, body: { error: 'Share not found' } } },
    },
  ],
  StatusChannelsSocketsDisconnect: [{ event: frame({}), outcome: { response: { statusCode: 200 } } }],
  StatusChannelsSocketsAnswerMessage: [
    { event: frame({ action: 'ping', id: 'a' }), outcome: replied({ type: 'pong', id: 'a' }) },
  ],
  StatusChannelsTopicsAuthorizeConnection: [
    {
      event: { protocolData: { mqtt: { username: 'a', password: 'bm9uZQ==', clientId: 'a' } } },
      outcome: { response: { isAuthenticated: false } },
    },
    { event: {}, outcome: { response: { isAuthenticated: false } } },
  ],
  StatusChannelsTopicsCountSubscriptions: [
    { event: { clientId: 'stranger', timestamp: 1, eventType: 'connected' }, outcome: { response: null } },
    { event: {}, outcome: notUnderstood },
  ],
  StatusChannelsFanOutStatusFanOut: [nothing, unknownItem],
  StatusChannelsFanOutRetainStatus: [
    nothing,
    { event: { Records: [message] }, outcome: oneFailure(message.messageId) },
  ],
  StatusChannelsGreetingsGreetConnection: [
    // No session, so there is nobody to greet.
    { event: { kind: 'subscription', connectionId: 'a', followed: 'device-a' }, outcome: { response: null } },
    { event: {}, outcome: notUnderstood },
  ],
  StatusChannelsViewerCountsCountViewers: [
    nothing,
    { event: { Records: [message] }, outcome: oneFailure(message.messageId) },
  ],
  StatusChannelsShareExpiryOnShareChange: [nothing, unknownItem],
  StatusChannelsShareExpiryExpireShare: [{ event: {}, outcome: notUnderstood }],
  StatusChannelsHeartbeat: [{ event: {}, outcome: { response: null } }],
  Telemetrysubscribe: action('subscribe'),
  Telemetryunsubscribe: action('unsubscribe'),
  Telemetrypublish: action('publish'),
  Telemetrycontrol: action('control'),
  Telemetryplayback: action('playback'),
  TelemetryWatchSilence: [nothing, { event: { Records: [message] }, outcome: oneFailure(message.messageId) }],
  ReconcileFunction: [{ event: {}, outcome: { response: null } }],
  PlatformIntegrationOutboundEventsPublishPlatformEvents: [nothing, unknownItem],
  PlatformIntegrationInboundEventsConsumePlatformEvents: [nothing],
  SimulatedFleetConsumeJobEvents: [{ event: {}, outcome: notUnderstood }],
  SimulatedFleetFly: [{ event: {}, outcome: { response: null } }],
  // The CDK's own, called at deployment: they answer at the address that CloudFormation gives, here none.
  AWS679f53fac002430cb0da5b7982bd2287: [{ event: {}, outcome: notUnderstood }],
  CustomS3AutoDeleteObjectsCustomResourceProvider: [{ event: {}, outcome: notUnderstood }],
};
