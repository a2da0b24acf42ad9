import type { Stage } from 'aws-cdk-lib/aws-apigateway';
import { CfnWebACL, CfnWebACLAssociation } from 'aws-cdk-lib/aws-wafv2';
import { Construct } from 'constructs';

/** Over how long AWS WAF counts requests; 60, 120, 300 and 600 are possible (WAF developer guide, "Rate-based rules"). */
const WINDOW_S = 300;
/** By then a fifth of what was counted is forgotten. */
const RETRY_AFTER_S = 60;

const name = 'RequestsOfAnAddress';

export interface WebRateLimitProps {
  /** Of a REST API's stage in its region, or of CloudFront in us-east-1. */
  readonly scope: 'REGIONAL' | 'CLOUDFRONT';
  /** Requests that an address may send within {@link WINDOW_S}; WAF counts roughly, and late by some ten seconds. */
  readonly limit: number;
}

/** A web ACL that answers 429 to an address that sends too much, as everything else here does, and lets pass all others. */
export class WebRateLimit extends Construct {
  readonly arn: string;

  constructor(scope: Construct, id: string, { scope: wafScope, limit }: WebRateLimitProps) {
    super(scope, id);
    // Samples would keep queries and headers, and so tokens and share codes.
    const visibilityConfig = { cloudWatchMetricsEnabled: true, sampledRequestsEnabled: false };
    const acl = new CfnWebACL(this, 'Acl', {
      scope: wafScope,
      description: `At most ${limit} requests in ${WINDOW_S} seconds from an address`,
      defaultAction: { allow: {} },
      visibilityConfig: { ...visibilityConfig, metricName: 'All' },
      customResponseBodies: {
        [name]: { contentType: 'APPLICATION_JSON', content: JSON.stringify({ error: 'Too many requests' }) },
      },
      rules: [
        {
          name,
          priority: 0,
          statement: { rateBasedStatement: { limit, evaluationWindowSec: WINDOW_S, aggregateKeyType: 'IP' } },
          action: {
            block: {
              // It goes before API Gateway's own answer (API Gateway developer guide, "Gateway response types").
              customResponse: {
                responseCode: 429,
                customResponseBodyKey: name,
                responseHeaders: [{ name: 'Retry-After', value: String(RETRY_AFTER_S) }],
              },
            },
          },
          visibilityConfig: { ...visibilityConfig, metricName: name },
        },
      ],
    });
    this.arn = acl.attrArn;
  }
}

/** Lets an address send no more than `limit` requests in five minutes to the stage of a REST API. */
export function limitStage(stage: Stage, limit: number): void {
  const { arn } = new WebRateLimit(stage, 'RateLimit', { scope: 'REGIONAL', limit });
  new CfnWebACLAssociation(stage, 'RateLimitAssociation', { webAclArn: arn, resourceArn: stage.stageArn });
}
