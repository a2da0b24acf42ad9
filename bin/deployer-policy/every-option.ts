const certificate = (region: string) =>
  `arn:aws:acm:${region}:123456789012:certificate/11111111-2222-3333-4444-555555555555`;

/** Every context value that adds or changes resources, so that this and the default cover the whole app. */
export const everyOption = {
  stage: 'staging',
  removeData: 'true',
  simulatedFleet: 'true',
  pageTopicArn: 'arn:aws:sns:eu-central-1:123456789012:pages',
  ticketTopicArn: 'arn:aws:sns:eu-central-1:123456789012:tickets',
  tracing: 'true',
  shareBaseUrl: 'https://share.example.com',
  domainName: 'api.example.com',
  certificateArn: certificate('eu-central-1'),
  webSocketDomainName: 'ws.example.com',
  webSocketCertificateArn: certificate('us-east-1'),
  mqttDomainName: 'mqtt.example.com',
  mqttCertificateArn: certificate('eu-central-1'),
  webRateLimit: '100000',
  edgeRateLimit: '2000',
  cloudFrontWebAclArn:
    'arn:aws:wafv2:us-east-1:123456789012:global/webacl/RateLimit/11111111-2222-3333-4444-555555555555',
  tags: 'costCenter=42,owner=flight',
  platformPrincipalArn: '210987654321',
  platformTargetArn: 'arn:aws:events:eu-central-1:210987654321:event-bus/platform',
  permissionsBoundaryArn: 'arn:aws:iam::123456789012:policy/boundary',
};
