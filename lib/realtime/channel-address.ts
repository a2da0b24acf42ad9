import { CfnOutput, Duration, Validations } from 'aws-cdk-lib/core';
import { Certificate } from 'aws-cdk-lib/aws-certificatemanager';
import * as cloudfront from 'aws-cdk-lib/aws-cloudfront';
import { HttpOrigin } from 'aws-cdk-lib/aws-cloudfront-origins';
import { Construct } from 'constructs';
import { ORIGIN_VERIFY } from '../../contract/origin-verify';
import { channelPathsCode } from './channel-paths';
import type { CustomDomain } from '../deployment-choices';

export interface ChannelAddressProps {
  /** Host and stage of the WebSocket API. */
  readonly host: string;
  readonly stage: string;
  /** What it proves to the WebSocket API that a handshake came through it. */
  readonly originSecret: string;
  /** Where partners reach it, beside the address that CloudFront gives. */
  readonly domain: CustomDomain | undefined;
  /** Web ACL in front of it, of scope CLOUDFRONT. */
  readonly webAclArn: string | undefined;
}

/** CloudFront in front of the WebSocket API, for the paths that partners use. It caches nothing. */
export class ChannelAddress extends Construct {
  /** Domain name that partners connect to. */
  readonly name: string;
  /** Other things may be served beside the channels. */
  readonly distribution: cloudfront.Distribution;

  constructor(scope: Construct, id: string, { host, stage, originSecret, ...props }: ChannelAddressProps) {
    super(scope, id);
    const { domain, webAclArn } = props;
    const paths = new cloudfront.Function(this, 'ChannelPaths', {
      comment: 'Path of a channel to query of the WebSocket API',
      runtime: cloudfront.FunctionRuntime.JS_2_0,
      code: cloudfront.FunctionCode.fromInline(channelPathsCode(stage)),
    });
    const distribution = (this.distribution = new cloudfront.Distribution(this, 'Distribution', {
      comment: 'Status channels',
      defaultBehavior: {
        origin: new HttpOrigin(host, {
          protocolPolicy: cloudfront.OriginProtocolPolicy.HTTPS_ONLY,
          customHeaders: { [ORIGIN_VERIFY]: originSecret },
        }),
        allowedMethods: cloudfront.AllowedMethods.ALLOW_GET_HEAD,
        viewerProtocolPolicy: cloudfront.ViewerProtocolPolicy.HTTPS_ONLY,
        cachePolicy: cloudfront.CachePolicy.CACHING_DISABLED,
        originRequestPolicy: cloudfront.OriginRequestPolicy.ALL_VIEWER_EXCEPT_HOST_HEADER,
        functionAssociations: [{ function: paths, eventType: cloudfront.FunctionEventType.VIEWER_REQUEST }],
      },
      // CloudFront would go on refusing for ten seconds what would be let in by now.
      errorResponses: [400, 403, 404, 405, 414, 500, 501, 502, 503, 504].map((httpStatus) => ({
        httpStatus,
        ttl: Duration.seconds(0),
      })),
      ...(webAclArn !== undefined && { webAclId: webAclArn }),
      ...(domain && {
        domainNames: [domain.name],
        certificate: Certificate.fromCertificateArn(this, 'Certificate', domain.certificateArn),
        minimumProtocolVersion: cloudfront.SecurityPolicyProtocol.TLS_V1_2_2021,
      }),
    }));
    Validations.of(distribution).acknowledge(
      { id: 'AwsSolutions-CFR1', reason: 'Partners connect from any country; who they are is what counts.' },
      {
        id: 'AwsSolutions-CFR3',
        reason: 'Its log would keep queries, and so tokens; the access log of the WebSocket API has each handshake.',
      },
    );
    if (webAclArn === undefined) {
      Validations.of(distribution).acknowledge({
        id: 'AwsSolutions-CFR2',
        reason:
          'Whoever has a share link may come: a guess costs a read, seats and commands are limited by share. Floods of an address are for cloudFrontWebAclArn.',
      });
    }
    if (!domain) {
      Validations.of(distribution).acknowledge({
        id: 'AwsSolutions-CFR4',
        reason: 'The certificate of CloudFront’s own domain takes no minimum; one of ours is held to TLS 1.2.',
      });
    }
    this.name = domain?.name ?? distribution.domainName;
    // The name's owner points it there: an alias or CNAME record in their DNS.
    if (domain) {
      new CfnOutput(this, 'Target', { value: distribution.domainName }).overrideLogicalId('WebSocketDomainTarget');
    }
  }
}
