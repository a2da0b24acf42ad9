import { Stack } from 'aws-cdk-lib/core';
import type { Stage } from 'aws-cdk-lib/aws-apigateway';
import { CfnWebACL, CfnWebACLAssociation } from 'aws-cdk-lib/aws-wafv2';
import { Construct } from 'constructs';

/** Evaluation window of AWS WAF; 60, 120, 300 and 600 are possible (WAF developer guide, "Rate-based rules"). */
const WINDOW_S = 300;
/** By then a fifth of the window has passed. */
const RETRY_AFTER_S = 60;

const name = 'RequestsOfAnAddress';
const commandsName = 'CommandsOfAnAddress';

export interface WebRateLimitProps {
  /** REGIONAL for the stage of a REST API, CLOUDFRONT for a distribution (in us-east-1). */
  readonly scope: 'REGIONAL' | 'CLOUDFRONT';
  /** Requests per IP address within {@link WINDOW_S}; WAF counts approximately, some ten seconds late. */
  readonly limit: number;
}

type Statement = CfnWebACL.StatementProperty;

const matching = (
  fieldToMatch: CfnWebACL.FieldToMatchProperty,
  positionalConstraint: string,
  searchString: string,
) => ({
  byteMatchStatement: {
    fieldToMatch,
    positionalConstraint,
    searchString,
    textTransformations: [{ priority: 0, type: 'NONE' }],
  },
});

/** Commands to devices, under each address of the API. */
const isCommand: Statement = {
  andStatement: {
    statements: [matching({ method: {} }, 'EXACTLY', 'POST'), matching({ uriPath: {} }, 'ENDS_WITH', '/commands')],
  },
};

/**
 * The rules by what they count. Commands are counted apart: a program that reads too often must not keep those behind
 * its address from stopping a drone. The distribution has no commands: viewers send theirs over an open socket, which
 * WAF does not see.
 */
const countingRules = (scope: WebRateLimitProps['scope']): readonly (readonly [name: string, counted?: Statement])[] =>
  scope === 'CLOUDFRONT'
    ? [[name]]
    : [
        [name, { notStatement: { statement: isCommand } }],
        [commandsName, isCommand],
      ];

/** A web ACL that answers 429, in the shape of every other error, to an IP address that exceeds the limit. */
export class WebRateLimit extends Construct {
  readonly arn: string;

  constructor(scope: Construct, id: string, { scope: wafScope, limit }: WebRateLimitProps) {
    super(scope, id);
    // Sampled requests would contain queries and headers, and so tokens and share codes.
    const visibilityConfig = { cloudWatchMetricsEnabled: true, sampledRequestsEnabled: false };
    const acl = new CfnWebACL(this, 'Acl', {
      name: `${Stack.of(this).stackName}-${name}`,
      scope: wafScope,
      description: `At most ${limit} requests in ${WINDOW_S} seconds per IP address`,
      defaultAction: { allow: {} },
      visibilityConfig: { ...visibilityConfig, metricName: `${Stack.of(this).stackName}-Allowed` },
      customResponseBodies: {
        [name]: { contentType: 'APPLICATION_JSON', content: JSON.stringify({ error: 'Too many requests' }) },
      },
      rules: countingRules(wafScope).map(([ruleName, scopeDownStatement], priority) => ({
        name: ruleName,
        priority,
        statement: {
          rateBasedStatement: {
            limit,
            evaluationWindowSec: WINDOW_S,
            aggregateKeyType: 'IP',
            ...(scopeDownStatement && { scopeDownStatement }),
          },
        },
        action: {
          block: {
            // Takes precedence over API Gateway's own response (API Gateway developer guide, "Gateway response types").
            customResponse: {
              responseCode: 429,
              customResponseBodyKey: name,
              responseHeaders: [{ name: 'Retry-After', value: String(RETRY_AFTER_S) }],
            },
          },
        },
        visibilityConfig: { ...visibilityConfig, metricName: `${Stack.of(this).stackName}-${ruleName}` },
      })),
    });
    this.arn = acl.attrArn;
  }
}

/** Limits the requests per IP address in five minutes to the stage of a REST API. */
export function limitStage(stage: Stage, limit: number): void {
  const { arn } = new WebRateLimit(stage, 'RateLimit', { scope: 'REGIONAL', limit });
  new CfnWebACLAssociation(stage, 'RateLimitAssociation', { webAclArn: arn, resourceArn: stage.stageArn });
}
