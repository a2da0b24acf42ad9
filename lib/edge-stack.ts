import { CfnOutput, Stack, type StackProps } from 'aws-cdk-lib/core';
import type { Construct } from 'constructs';
import { WebRateLimit } from './rest/web-rate-limit';

export interface EdgeStackProps extends StackProps {
  /** Requests that an address may send in five minutes to channels and share page together. */
  readonly rateLimit: number;
}

/**
 * What has to be in us-east-1 because it is CloudFront's: the web ACL of channels and share page (WAF developer guide,
 * "Scope"). Its ARN goes into the main stack as context `cloudFrontWebAclArn`.
 */
export class EdgeStack extends Stack {
  constructor(scope: Construct, id: string, { rateLimit, ...props }: EdgeStackProps) {
    const description = 'Drone mission integration API: what CloudFront needs in us-east-1';
    super(scope, id, { description, ...props, env: { region: 'us-east-1' } });
    const { arn } = new WebRateLimit(this, 'RateLimit', { scope: 'CLOUDFRONT', limit: rateLimit });
    new CfnOutput(this, 'CloudFrontWebAclArn', { value: arn });
  }
}
