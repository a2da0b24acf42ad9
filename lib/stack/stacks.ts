import { type App, CfnOutput, Stack, type StackProps } from 'aws-cdk-lib/core';
import type { Contract } from '../../contract/contract';
import { deploymentOptions } from '../foundation/deployment-options';
import { DroneMissionApiStack, stackName, applyTagsAndBoundary } from './drone-mission-api-stack';
import type { Construct } from 'constructs';
import { WebRateLimit } from '../rest/web-rate-limit';

/**
 * Adds the service's stack and, with `edgeRateLimit`, a second one in us-east-1.
 * @throws ChoiceError for invalid context
 */
export function addStacks(app: App, contract: Contract): void {
  const options = deploymentOptions(app.node);
  const name = stackName(options.stage);
  new DroneMissionApiStack(app, name, { contract });
  if (options.edgeRateLimit === undefined) return;
  applyTagsAndBoundary(new EdgeStack(app, `${name}-edge`, { rateLimit: options.edgeRateLimit }), options);
}

interface EdgeStackProps extends StackProps {
  /** Requests per IP address in five minutes, to channels and share page together. */
  readonly rateLimit: number;
}

/**
 * The web ACL of channels and share page, which CloudFront requires in us-east-1 (WAF developer guide, "Scope"). Its ARN is
 * passed to the main stack as context `cloudFrontWebAclArn`.
 */
class EdgeStack extends Stack {
  constructor(scope: Construct, id: string, { rateLimit, ...props }: EdgeStackProps) {
    const description = 'Drone mission integration API: web ACL for CloudFront, in us-east-1';
    super(scope, id, { description, ...props, env: { region: 'us-east-1' } });
    const { arn } = new WebRateLimit(this, 'RateLimit', { scope: 'CLOUDFRONT', limit: rateLimit });
    new CfnOutput(this, 'CloudFrontWebAclArn', { value: arn });
  }
}
