import { CfnOutput, Duration, Validations } from 'aws-cdk-lib/core';
import { Certificate } from 'aws-cdk-lib/aws-certificatemanager';
import * as cloudfront from 'aws-cdk-lib/aws-cloudfront';
import { HttpOrigin } from 'aws-cdk-lib/aws-cloudfront-origins';
import { Construct } from 'constructs';
import type { Contract } from '../../contract/contract';
import { ORIGIN_VERIFY } from '../../contract/channels/origin-verify';
import type { CustomDomain } from '../foundation/deployment-options';
import { publishOutputs } from '../foundation/publish-outputs';
import { TELEMETRY_PATH } from '../../contract/websocket-actions';
import { DOCS_PATH } from '../rest/docs-paths';

export interface ChannelAddressProps {
  readonly channels: Contract['channels'];
  /** Host and stage of the WebSocket API. */
  readonly host: string;
  readonly stage: string;
  /** Secret header value that proves to the WebSocket API that a handshake came through CloudFront. */
  readonly originSecret: string;
  /** Custom domain, in addition to the address that CloudFront assigns. */
  readonly domain: CustomDomain | undefined;
  /** ARN of a web ACL of scope CLOUDFRONT. */
  readonly webAclArn: string | undefined;
}

/** CloudFront distribution that maps the paths of channels to the WebSocket API. It caches nothing. */
export class ChannelAddress extends Construct {
  /** Domain name that partners connect to. */
  readonly name: string;
  /** Also serves the share page. */
  readonly distribution: cloudfront.Distribution;

  constructor(scope: Construct, id: string, { host, stage, originSecret, ...props }: ChannelAddressProps) {
    super(scope, id);
    const { channels, domain, webAclArn } = props;
    const paths = new cloudfront.Function(this, 'ChannelPaths', {
      comment: 'Channel path to query of the WebSocket API',
      runtime: cloudfront.FunctionRuntime.JS_2_0,
      code: cloudfront.FunctionCode.fromInline(channelPathsCode(stage, channels)),
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
      // By default CloudFront caches errors for ten seconds and would refuse handshakes that the API now accepts.
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
      { id: 'AwsSolutions-CFR1', reason: 'Partners connect from any country and are authenticated.' },
      {
        id: 'AwsSolutions-CFR3',
        reason: 'Its log would contain queries, and so tokens; the access log of the WebSocket API has each handshake.',
      },
    );
    if (webAclArn === undefined) {
      Validations.of(distribution).acknowledge({
        id: 'AwsSolutions-CFR2',
        reason:
          'Share links are public: a guess costs one read, and seats and commands are limited per share. cloudFrontWebAclArn limits the requests of an IP address.',
      });
    }
    if (!domain) {
      Validations.of(distribution).acknowledge({
        id: 'AwsSolutions-CFR4',
        reason: 'CloudFront’s own domain allows no minimum TLS version; a custom domain requires TLS 1.2.',
      });
    }
    this.name = domain?.name ?? distribution.domainName;
    publishOutputs(this, { WebSocketUrl: `wss://${this.name}` });
    // Target of the alias or CNAME record of the custom domain.
    if (domain) {
      new CfnOutput(this, 'Target', { value: distribution.domainName }).overrideLogicalId('WebSocketDomainTarget');
    }
  }
}

/**
 * Generates the code of a CloudFront function (cloudfront-js-2.0, which has `for` and `for…in` but no `for…of`) that turns the
 * path of a channel into a query, since a WebSocket API has no paths below its stage: `/v3/jobs/<id>/status/ws` becomes
 * `/<stage>?channel=job&id=<id>`. It overwrites these two parameters if the client sent them, and answers 404 for an id with
 * characters that no id has, since CloudFront would pass an `&` or `=` on as part of the query. Whoever opens the bare address
 * in a browser is redirected to the docs site.
 * @param stage of the WebSocket API
 * @param channels by kind
 */
export function channelPathsCode(stage: string, channels: Contract['channels']): string {
  const routes = Object.entries(channels).map(([kind, { path }]) => {
    const [before = '', after = ''] = path.split('{id}');
    return { kind, before, after };
  });
  return `const routes = ${JSON.stringify(routes)};
function handler(event) {
  const request = event.request;
  if (request.uri === '/') {
    return { statusCode: 302, statusDescription: 'Found', headers: { location: { value: '${DOCS_PATH}/' } } };
  }
  if (request.uri === '${TELEMETRY_PATH}') {
    request.uri = '/${stage}';
    request.querystring.channel = { value: 'telemetry' };
    return request;
  }
  for (let i = 0; i < routes.length; i++) {
    const route = routes[i];
    const id = request.uri.slice(route.before.length, request.uri.length - route.after.length);
    if (request.uri === route.before + id + route.after && /^[A-Za-z0-9%-]+$/.test(id)) {
      request.uri = '/${stage}';
      request.querystring.channel = { value: route.kind };
      request.querystring.id = { value: id };
      return request;
    }
  }
  return { statusCode: 404, statusDescription: 'Not Found' };
}
`;
}
