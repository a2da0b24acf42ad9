/** Resources that the template goes without. */
export interface LeftOut {
  readonly type: string;
  /** Of that type only those with this property. */
  readonly having?: string;
  readonly reason: string;
}

/** What MiniStack 1.5.33 can't create. Printed at each run. */
export const leftOut: readonly LeftOut[] = [
  { type: 'AWS::ApiGatewayV2::RouteResponse', reason: 'it answers on every route that has a selection expression' },
  { type: 'AWS::CloudWatch::Alarm', having: 'Metrics', reason: 'it knows no alarms on metric math' },
  { type: 'AWS::Events::Archive', reason: 'it knows archives only by their API' },
  { type: 'AWS::IoT::Authorizer', reason: 'it knows none, so nobody signs in over MQTT' },
];

/** Where it differs from AWS in what we build on; `emulator.py` mends that when it starts. Printed at each run. */
export const mended: readonly string[] = [
  'AWS::Cognito::UserPool has an attribute ProviderURL (template reference)',
  'calls on an IoT domain configuration are checked against its ARN (service authorization reference)',
  'requestContext.identity holds the API key and its id (API Gateway, "Input format of a Lambda function for proxy integration")',
  'a handshake that $connect refuses gets the status that $connect gave',
  'CloudFront passes WebSockets on to their origin, with the headers that the origin is to get',
];

/** Parts of `npm run smoke` that it can't play, each with the reason. */
export const storyWithout: Readonly<Record<string, string>> = {
  mqtt: 'there is no AWS::IoT::Authorizer',
};
