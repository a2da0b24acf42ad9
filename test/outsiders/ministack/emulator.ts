import { join } from 'node:path';
import { startServer, type Server } from '../processes';

const REGION = 'eu-central-1';
/** Endpoint of all AWS calls that name no host of their own. */
const ENDPOINT = `https://${REGION}.amazonaws.com`;
const PORT = 4566;
/** For a server that hangs: one that ends is noticed at once. */
const READY_WITHIN_MS = 120_000;

/** Path of the certificate that `fillWorkFolder` creates. */
export const certificateIn = (work: string) => join(work, 'certificate.pem');

/** Environment of a program that calls AWS as the account's administrator. */
export const administrator = (work: string) => ({
  AWS_ENDPOINT_URL: ENDPOINT,
  AWS_REGION: REGION,
  AWS_ACCESS_KEY_ID: 'test',
  AWS_SECRET_ACCESS_KEY: 'test',
  NODE_EXTRA_CA_CERTS: certificateIn(work),
  AWS_CA_BUNDLE: certificateIn(work),
  AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: 'true',
});

/**
 * Starts the emulator on port 443, where AWS is, and on the second port that it requires.
 * @param work folder with its certificate and for its log
 * @param python interpreter with its package
 * @param nodeFolder folder of the functions' Node.js
 */
export function startEmulator(work: string, python: string, nodeFolder: string): Promise<Server> {
  const temporary = join(work, 'temporary');
  const certificate = certificateIn(work);
  return startServer({
    command: python,
    args: [join(__dirname, 'emulator.py')],
    env: {
      AUTH: 'true',
      BIND_HOST: '127.0.0.1',
      GATEWAY_PORT: String(PORT),
      MINISTACK_HOST: new URL(ENDPOINT).host,
      MINISTACK_REGION: REGION,
      USE_SSL: '1',
      MINISTACK_SSL_CERT: certificate,
      MINISTACK_SSL_KEY: join(work, 'key.pem'),
      SFTP_ENABLED: '0',
      // The functions' environment: the template's Node.js, and this certificate authority instead of AWS's.
      PATH: `${nodeFolder}:${process.env['PATH'] ?? ''}`,
      NODE_EXTRA_CA_CERTS: certificate,
      AWS_CA_BUNDLE: certificate,
      HOME: temporary,
      TMPDIR: temporary,
    },
    cwd: work,
    logFile: join(work, 'emulator.log'),
    url: `${ENDPOINT}:${PORT}/_ministack/health`,
    readyWithinMs: READY_WITHIN_MS,
  });
}

/** Resources removed from the template. */
export interface RemovedResource {
  readonly type: string;
  /** Only those with this property. */
  readonly having?: string;
  readonly reason: string;
}

/** What MiniStack 1.5.33 can't create. Printed in each run. */
export const removedResources: readonly RemovedResource[] = [
  {
    type: 'AWS::ApiGatewayV2::RouteResponse',
    reason: 'it sends responses on every route that has a selection expression',
  },
  { type: 'AWS::CloudWatch::Alarm', having: 'Metrics', reason: 'alarms on metric math are not supported' },
  { type: 'AWS::Events::Archive', reason: 'archives are supported through their API only' },
  { type: 'AWS::IoT::Authorizer', reason: 'it is not supported, so MQTT clients cannot authenticate' },
];

/** Why the OpenAPI body of the REST API is deployed as resources, so its import is not tested here. Printed in each run. */
export const bodyReason =
  'it imports routes, authorizers and API keys, but neither x-amazon-apigateway-any-method, mock integrations nor x-amazon-apigateway-gateway-responses';

/** Differences from AWS that `emulator.py` patches at start. Printed in each run. */
export const patches: readonly string[] = [
  'the limit of 500 resources does not count those that stand for the OpenAPI body, which are none in AWS',
  'AWS::Cognito::UserPool has an attribute ProviderURL (template reference)',
  'calls on an IoT domain configuration are authorised for its ARN (service authorization reference)',
  'requestContext.identity has the API key and its id (API Gateway, "Input format of a Lambda function for proxy integration")',
  'a filter of an event source with exists: false matches when the parent of the leaf is missing (EventBridge, "Comparison operators")',
  'a handshake that $connect refuses gets the status that $connect returned',
  'CloudFront forwards WebSockets to their origin, with the origin’s custom headers',
];

/** Parts of `npm run smoke` that the emulator does not support, with the reason. */
export const skippedParts: Readonly<Record<string, string>> = {
  mqtt: 'there is no AWS::IoT::Authorizer',
};
