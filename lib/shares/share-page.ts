import { Aws, Names, RemovalPolicy, Stack, Stage, Validations, type CfnElement } from 'aws-cdk-lib/core';
import * as cloudfront from 'aws-cdk-lib/aws-cloudfront';
import { S3BucketOrigin } from 'aws-cdk-lib/aws-cloudfront-origins';
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import { BlockPublicAccess, Bucket, BucketEncryption, type IBucket } from 'aws-cdk-lib/aws-s3';
import { BucketDeployment, CacheControl, Source } from 'aws-cdk-lib/aws-s3-deployment';
import { Construct } from 'constructs';
import { join } from 'node:path';
import { mapTiles } from './map-tiles';
import { sharePageHeaders } from './share-page-headers';
import { sharePathsCode } from './share-paths';
import { bundleViewer } from './viewer-bundle';

export interface SharePageProps {
  /** Whether the bucket is emptied and deleted with the stack, or kept; a bucket that holds files can't be deleted. */
  readonly removeData: boolean;
}

/** The public page behind a share link, `/share/<code>`: a private bucket, which only CloudFront reads. */
export class SharePage extends Construct {
  private readonly bucket: IBucket;
  private readonly headers: cloudfront.ResponseHeadersPolicy;

  constructor(scope: Construct, id: string, { removeData }: SharePageProps) {
    super(scope, id);
    const tiles = mapTiles(this.node);
    const { page, assets } = bundleViewer(join(Stage.of(this)?.assetOutdir ?? '', 'viewer'), tiles);

    const bucket = new Bucket(this, 'Bucket', {
      blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
      encryption: BucketEncryption.S3_MANAGED,
      enforceSSL: true,
      autoDeleteObjects: removeData,
      removalPolicy: removeData ? RemovalPolicy.DESTROY : RemovalPolicy.RETAIN,
    });
    Validations.of(bucket).acknowledge({
      id: 'AwsSolutions-S1',
      reason: 'It is a public page; who asks for it with which share code is to be written down nowhere.',
    });

    // The interface is written without exactOptionalPropertyTypes in mind.
    this.bucket = bucket as IBucket;
    this.ship(page, assets);
    this.headers = new cloudfront.ResponseHeadersPolicy(this, 'Headers', {
      ...sharePageHeaders(tiles),
      responseHeadersPolicyName: this.accountWideName('Headers'),
    });
  }

  /** Lets a distribution serve the page below `/share/`; its other paths stay as they are. */
  addTo(distribution: cloudfront.Distribution): void {
    const paths = new cloudfront.Function(this, 'Paths', {
      comment: 'Any share code to the one page',
      runtime: cloudfront.FunctionRuntime.JS_2_0,
      code: cloudfront.FunctionCode.fromInline(sharePathsCode),
    });
    const originAccessControl = new cloudfront.S3OriginAccessControl(this, 'Access', {
      originAccessControlName: this.accountWideName('Access'),
    });
    const origin = S3BucketOrigin.withOriginAccessControl(this.bucket, { originAccessControl });
    distribution.addBehavior('/share/*', origin, {
      viewerProtocolPolicy: cloudfront.ViewerProtocolPolicy.REDIRECT_TO_HTTPS,
      // With caching comes compression; the page itself stays for a second.
      cachePolicy: cloudfront.CachePolicy.CACHING_OPTIMIZED,
      responseHeadersPolicy: this.headers,
      functionAssociations: [{ function: paths, eventType: cloudfront.FunctionEventType.VIEWER_REQUEST }],
    });
  }

  /** CloudFront's names are those of the account, in whichever region a stack is; an access control's has 64 characters. */
  private accountWideName(what: string): string {
    return `${Names.uniqueResourceName(this, { maxLength: 40, separator: '-' })}-${what}-${Aws.REGION}`;
  }

  /** Has the files copied into the bucket at every deployment that changes them. */
  private ship(page: string, assets: string): void {
    const stack = Stack.of(this);
    const logGroup = new LogGroup(this, 'ShippingLog', {
      retention: RetentionDays.THREE_MONTHS,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    const role = new Role(this, 'Shipping', { assumedBy: new ServicePrincipal('lambda.amazonaws.com') });
    logGroup.grantWrite(role);
    // Old files stay: a page that is open during a deployment may still need one of them.
    const how = { destinationBucket: this.bucket, prune: false, role, logGroup };
    const files = new BucketDeployment(this, 'Assets', {
      ...how,
      sources: [Source.asset(assets)],
      destinationKeyPrefix: 'share/assets',
      cacheControl: [CacheControl.fromString('public, max-age=31536000, immutable')],
    });
    const html = new BucketDeployment(this, 'Page', {
      ...how,
      sources: [Source.asset(page)],
      destinationKeyPrefix: 'share',
      cacheControl: [CacheControl.noStore()],
    });
    html.node.addDependency(files);

    Validations.of(role).acknowledge(
      ...[
        ...['Action::s3:GetBucket*', 'Action::s3:GetObject*', 'Action::s3:List*', 'Action::s3:Abort*'],
        ...[
          'Action::s3:DeleteObject*',
          `Resource::<${stack.getLogicalId(this.bucket.node.defaultChild as CfnElement)}.Arn>/*`,
        ],
        'Resource::arn:<AWS::Partition>:s3:::cdk-hnb659fds-assets-<AWS::AccountId>-<AWS::Region>/*',
      ].map((finding) => ({
        id: `AwsSolutions-IAM5[${finding}]`,
        reason: 'The CDK copies from its bucket of assets to this one.',
      })),
    );
    const shipper = stack.node.children.find(({ node }) => node.id.startsWith('Custom::CDKBucketDeployment'));
    if (shipper) Validations.of(shipper).acknowledge({ id: 'AwsSolutions-L1', reason: 'The CDK chooses its runtime.' });
  }
}
