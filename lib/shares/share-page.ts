import {
  Aws,
  Names,
  RemovalPolicy,
  Stack,
  Stage,
  Validations,
  type CfnElement,
  CfnResource,
  Duration,
} from 'aws-cdk-lib/core';
import * as cloudfront from 'aws-cdk-lib/aws-cloudfront';
import { S3BucketOrigin } from 'aws-cdk-lib/aws-cloudfront-origins';
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { IBucket } from 'aws-cdk-lib/aws-s3';
import { BucketDeployment, CacheControl, Source, type ISource } from 'aws-cdk-lib/aws-s3-deployment';
import { Construct } from 'constructs';
import { join } from 'node:path';
import { mapTiles, type MapTiles } from './map-tile-server';
import { bundleViewer } from './viewer-bundle';
import { privateBucket } from '../foundation/private-bucket';
import { publishOutputs } from '../foundation/publish-outputs';

export interface SharePageProps {
  /** Whether the bucket is emptied and deleted with the stack, or retained: a bucket with files can't be deleted. */
  readonly removeData: boolean;
}

export interface PublicFiles {
  readonly sources: ISource[];
  /** Prefix of their keys, without slashes around it. */
  readonly prefix: string;
  readonly cacheControl: CacheControl;
}

/** The public page of a share link, `/share/<code>`, in a private bucket that only CloudFront reads. */
export class SharePage extends Construct {
  /** The bucket, for other public files that are deployed into it. */
  readonly origin: cloudfront.IOrigin;
  private readonly bucket: IBucket;
  private readonly headers: cloudfront.ResponseHeadersPolicy;
  private readonly role: Role;
  private readonly logGroup: LogGroup;
  private deployed = false;

  constructor(scope: Construct, id: string, { removeData }: SharePageProps) {
    super(scope, id);
    const tiles = mapTiles(this.node);
    const { page, assets } = bundleViewer(join(Stage.of(this)?.assetOutdir ?? '', 'viewer'), tiles);

    const bucket = privateBucket(this, {
      removeData,
      noAccessLog: 'An access log would contain the IP addresses and share codes of visitors of a public page.',
    });
    // IBucket does not allow for exactOptionalPropertyTypes.
    this.bucket = bucket as IBucket;
    const originAccessControl = new cloudfront.S3OriginAccessControl(this, 'Access', {
      originAccessControlName: this.accountWideName('Access'),
    });
    this.origin = S3BucketOrigin.withOriginAccessControl(this.bucket, { originAccessControl });
    this.logGroup = new LogGroup(this, 'DeployLog', {
      retention: RetentionDays.THREE_MONTHS,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    this.role = new Role(this, 'DeployRole', { assumedBy: new ServicePrincipal('lambda.amazonaws.com') });
    this.logGroup.grantWrite(this.role);
    if (removeData) this.logEmptying();
    this.deployPage(page, assets);
    this.headers = new cloudfront.ResponseHeadersPolicy(this, 'Headers', {
      ...sharePageHeaders(tiles),
      responseHeadersPolicyName: this.accountWideName('Headers'),
    });
  }

  /**
   * Serves the page below `/share/` of a distribution.
   * @param shareBaseUrl where share links lead: its address, or one that leads there
   */
  addTo(distribution: cloudfront.Distribution, shareBaseUrl: string): void {
    publishOutputs(this, { ShareBaseUrl: shareBaseUrl });
    const paths = new cloudfront.Function(this, 'Paths', {
      comment: 'Every share code to the same page',
      runtime: cloudfront.FunctionRuntime.JS_2_0,
      code: cloudfront.FunctionCode.fromInline(sharePathsCode),
    });
    distribution.addBehavior('/share/*', this.origin, {
      viewerProtocolPolicy: cloudfront.ViewerProtocolPolicy.REDIRECT_TO_HTTPS,
      // Compression requires caching; the page itself is cached for a second.
      cachePolicy: cloudfront.CachePolicy.CACHING_OPTIMIZED,
      responseHeadersPolicy: this.headers,
      functionAssociations: [{ function: paths, eventType: cloudfront.FunctionEventType.VIEWER_REQUEST }],
    });
  }

  /** Names in CloudFront are unique in the account across regions; that of an origin access control has at most 64 characters. */
  private accountWideName(suffix: string): string {
    return `${Names.uniqueResourceName(this, { maxLength: 40, separator: '-' })}-${suffix}-${Aws.REGION}`;
  }

  /** Copies files into the bucket at every deployment that changes them. */
  deploy(scope: Construct, id: string, { sources, prefix, cacheControl }: PublicFiles): BucketDeployment {
    const deployment = new BucketDeployment(scope, id, {
      destinationBucket: this.bucket,
      role: this.role,
      logGroup: this.logGroup,
      sources,
      destinationKeyPrefix: prefix,
      cacheControl: [cacheControl],
      // A page that is open during a deployment may still load old files.
      prune: false,
    });
    // All deployments share a function, which has the layer of the first: those of the others are used by nothing.
    if (this.deployed) deployment.node.tryRemoveChild('AwsCliLayer');
    this.deployed = true;
    return deployment;
  }

  /** The function that empties the bucket has no option for its log, and would create a log group that nobody expires. */
  private logEmptying(): void {
    const provider = Stack.of(this).node.findChild('Custom::S3AutoDeleteObjectsCustomResourceProvider');
    const handler = provider.node.findChild('Handler');
    if (!CfnResource.isCfnResource(handler)) throw new Error('the function is not a resource');
    handler.addPropertyOverride('LoggingConfig', { LogGroup: this.logGroup.logGroupName });
  }

  private deployPage(page: string, assets: string): void {
    const stack = Stack.of(this);
    const files = this.deploy(this, 'Assets', {
      sources: [Source.asset(assets)],
      prefix: 'share/assets',
      cacheControl: CacheControl.fromString('public, max-age=31536000, immutable'),
    });
    const html = this.deploy(this, 'Page', {
      sources: [Source.asset(page)],
      prefix: 'share',
      cacheControl: CacheControl.noStore(),
    });
    html.node.addDependency(files);

    Validations.of(this.role).acknowledge(
      ...[
        'Action::s3:GetBucket*',
        'Action::s3:GetObject*',
        'Action::s3:List*',
        'Action::s3:Abort*',
        'Action::s3:DeleteObject*',
        `Resource::<${stack.getLogicalId(this.bucket.node.defaultChild as CfnElement)}.Arn>/*`,
        'Resource::arn:<AWS::Partition>:s3:::cdk-hnb659fds-assets-<AWS::AccountId>-<AWS::Region>/*',
      ].map((finding) => ({
        id: `AwsSolutions-IAM5[${finding}]`,
        reason: 'The CDK copies from its assets bucket to this one.',
      })),
    );
    const provider = stack.node.children.find(({ node }) => node.id.startsWith('Custom::CDKBucketDeployment'));
    if (provider)
      Validations.of(provider).acknowledge({ id: 'AwsSolutions-L1', reason: 'The CDK chooses its runtime.' });
  }
}

/**
 * Code of a CloudFront function (cloudfront-js-2.0) that maps `/share/<code>` to the same page for every code, so that no code
 * reaches the bucket and the cache holds one copy. The files of the page are below `/share/assets/`.
 */
const sharePathsCode = `function handler(event) {
  const request = event.request;
  request.querystring = {};
  if (request.uri.startsWith('/share/assets/')) return request;
  if (!/^\\/share\\/[\\w-]+\\/?$/.test(request.uri)) return { statusCode: 404, statusDescription: 'Not Found' };
  request.uri = '/share/index.html';
  return request;
}
`;

/**
 * Security headers of the share page. Its URL is a capability: it sends no referrer, cannot be framed, and is not indexed. It
 * runs only its own scripts and styles, connects only to its own host and that of the video, and loads map tiles.
 */
function sharePageHeaders(tiles: MapTiles): cloudfront.ResponseHeadersPolicyProps {
  // Endpoint of a stream of Kinesis Video Streams: https://b-<hash>.kinesisvideo.<region>.amazonaws.com.
  const video = `https://*.kinesisvideo.${Aws.REGION}.${Aws.URL_SUFFIX}`;
  const contentSecurityPolicy = [
    `default-src 'none'`,
    `script-src 'self'`,
    `style-src 'self'`,
    ['img-src', `'self'`, 'data:', tiles.source ?? []].flat().join(' '),
    // 'self' includes the page's own host over wss (CSP level 3).
    `connect-src 'self' ${video}`,
    // blob: from the player; the stream's host where the browser plays HLS itself.
    `media-src blob: ${video}`,
    `frame-ancestors 'none'`,
    `base-uri 'none'`,
    `form-action 'none'`,
  ].join('; ');

  const unused = [
    'accelerometer',
    'camera',
    'display-capture',
    'geolocation',
    'gyroscope',
    'microphone',
    'payment',
    'usb',
  ];
  const custom = {
    'Permissions-Policy': unused.map((feature) => `${feature}=()`).join(', '),
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Cross-Origin-Resource-Policy': 'same-origin',
    'X-Robots-Tag': 'noindex, nofollow',
  };
  return {
    comment: 'Share page',
    securityHeadersBehavior: {
      contentSecurityPolicy: { contentSecurityPolicy, override: true },
      contentTypeOptions: { override: true },
      frameOptions: { frameOption: cloudfront.HeadersFrameOption.DENY, override: true },
      referrerPolicy: { referrerPolicy: cloudfront.HeadersReferrerPolicy.NO_REFERRER, override: true },
      strictTransportSecurity: { accessControlMaxAge: Duration.days(365), includeSubdomains: true, override: true },
    },
    customHeadersBehavior: {
      customHeaders: Object.entries(custom).map(([header, value]) => ({ header, value, override: true })),
    },
  };
}
