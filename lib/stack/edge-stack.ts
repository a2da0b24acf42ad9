import { CfnOutput, Stack, type StackProps } from 'aws-cdk-lib/core';
import type { Construct } from 'constructs';
import { WebRateLimit } from '../rest/web-rate-limit';

export interface EdgeStackProps extends StackProps {
  /** Requests per IP address in five minutes, to channels and share page together. */
  readonly rateLimit: number;
}

/**
 * The web ACL of channels and share page, which CloudFront requires in us-east-1 (WAF developer guide, "Scope"). Its ARN is
 * passed to the main stack as context `cloudFrontWebAclArn`.
 */
export class EdgeStack extends Stack {
  constructor(scope: Construct, id: string, { rateLimit, ...props }: EdgeStackProps) {
    const description = 'Drone mission integration API: web ACL for CloudFront, in us-east-1';
    super(scope, id, { description, ...props, env: { region: 'us-east-1' } });
    const { arn } = new WebRateLimit(this, 'RateLimit', { scope: 'CLOUDFRONT', limit: rateLimit });
    new CfnOutput(this, 'CloudFrontWebAclArn', { value: arn });
  }
}
