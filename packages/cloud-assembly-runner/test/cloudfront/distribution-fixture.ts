import { createCloudFront, type CloudFront, type Origin } from '../../cloudfront';

export const CACHING_DISABLED = '4135ea2d-6df8-44a3-9df3-4b5a84be39ad';
export const ALL_VIEWER_EXCEPT_HOST = 'b689b0a8-53d0-40ab-baf2-68738e2966ac';

export interface ServedDistribution {
  readonly cloudFront: CloudFront;
  /** `http://127.0.0.1:<port>` */
  readonly url: string;
  readonly domainName: string;
  readonly log: readonly string[];
}

export interface DistributionOptions {
  readonly origins: Readonly<Record<string, Origin>>;
  /** Code of the viewer-request function of the behavior `/v3/*`, whose origin is `api`. */
  readonly viewerRequest?: string;
  /** Elapsed time after which that function is ended. */
  readonly functionLimitMs?: number;
  readonly policies?: Readonly<Record<string, string>>;
  /** Of the default behavior, whose origin is `site`. */
  readonly responseHeaders?: unknown;
  /** Further properties of the distribution's configuration. */
  readonly config?: Readonly<Record<string, unknown>>;
}

export async function serveDistribution(options: DistributionOptions): Promise<ServedDistribution> {
  const log: string[] = [];
  const cloudFront = createCloudFront({
    accountId: '000000000000',
    portOf: () => 0,
    originOf: (domain) => options.origins[domain],
    ...(options.functionLimitMs !== undefined && { functionLimitMs: options.functionLimitMs }),
    log: (line) => log.push(line),
  });
  const create = async (type: string, properties: Record<string, unknown>) =>
    cloudFront.create({ type: `AWS::CloudFront::${type}`, logicalId: type, properties, metadata: {} });

  const associations = [];
  if (options.viewerRequest !== undefined) {
    const { attributes } = await create('Function', {
      Name: 'path-to-query',
      FunctionCode: options.viewerRequest,
      FunctionConfig: { Comment: '', Runtime: 'cloudfront-js-2.0' },
    });
    associations.push({ EventType: 'viewer-request', FunctionARN: attributes?.FunctionARN });
  }
  const headers =
    options.responseHeaders === undefined
      ? undefined
      : (await create('ResponseHeadersPolicy', { ResponseHeadersPolicyConfig: options.responseHeaders })).ref;
  const { attributes } = await create('Distribution', {
    DistributionConfig: {
      Origins: [
        { Id: 'site', DomainName: 'site' },
        {
          Id: 'api',
          DomainName: 'api',
          OriginPath: '/live',
          OriginCustomHeaders: [{ HeaderName: 'X-Origin-Secret', HeaderValue: 'o' }],
        },
      ],
      DefaultCacheBehavior: {
        TargetOriginId: 'site',
        CachePolicyId: CACHING_DISABLED,
        ...(headers !== undefined && { ResponseHeadersPolicyId: headers }),
      },
      CacheBehaviors: [
        {
          PathPattern: '/v3/*',
          TargetOriginId: 'api',
          CachePolicyId: CACHING_DISABLED,
          OriginRequestPolicyId: ALL_VIEWER_EXCEPT_HOST,
          FunctionAssociations: associations,
          ...options.policies,
        },
      ],
      ...options.config,
    },
  });
  await cloudFront.start?.();
  const domainName = attributes?.DomainName ?? '';
  return { cloudFront, url: `http://${cloudFront.addressOf(domainName)}`, domainName, log };
}
