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
