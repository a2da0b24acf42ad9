/** Configuration of a distribution: CloudFormation user guide, AWS::CloudFront::Distribution. */
import * as z from 'zod';
import type { Compression } from './compression';
import { managedPolicies, type Forwarded } from './forwarding';
import type { Pairs } from './origin';
import { managedResponseHeaders, type ResponseHeaders } from './response-headers';
import type { ViewerFunction } from './functions/viewer-function';

const behaviour = z.object({
  TargetOriginId: z.string(),
  AllowedMethods: z
    .array(z.enum(['GET', 'HEAD', 'OPTIONS'], { error: 'methods with a body are not supported on this machine' }))
    .default(['GET', 'HEAD']),
  CachePolicyId: z.string(),
  OriginRequestPolicyId: z.string().optional(),
  ResponseHeadersPolicyId: z.string().optional(),
  Compress: z.boolean().default(false),
  FunctionAssociations: z
    .array(
      z.object({
        EventType: z.literal('viewer-request', { error: 'only viewer-request functions are supported' }),
        FunctionARN: z.string(),
      }),
    )
    .default([]),
  LambdaFunctionAssociations: z.array(z.never({ error: 'Lambda@Edge is not supported on this machine' })).default([]),
});

export const distributionProperties = z.object({
  DistributionConfig: z.object({
    Origins: z.array(
      z.object({
        Id: z.string(),
        DomainName: z.string(),
        OriginPath: z.string().default(''),
        OriginCustomHeaders: z.array(z.object({ HeaderName: z.string(), HeaderValue: z.string() })).default([]),
      }),
    ),
    DefaultCacheBehavior: behaviour,
    CacheBehaviors: z.array(behaviour.extend({ PathPattern: z.string() })).default([]),
    DefaultRootObject: z.string().default(''),
    CustomErrorResponses: z
      .array(
        z.object({
          ErrorCode: z.number(),
          ResponseCode: z.number().optional(),
          ResponsePagePath: z.string().optional(),
        }),
      )
      .default([]),
  }),
});

/** Handling of requests whose URI matches a path pattern. */
export interface Behaviour {
  /** With `*` and `?`, and a leading slash. */
  readonly pattern: string;
  readonly methods: readonly string[];
  readonly origin: { readonly domain: string; readonly path: string; readonly customHeaders: Pairs };
  readonly policies: readonly Forwarded[];
  readonly viewerFunction: ViewerFunction | undefined;
  readonly responseHeaders: ResponseHeaders;
  readonly compression: Compression;
}

export interface DistributionParts {
  readonly id: string;
  /** `d….cloudfront.net` */
  readonly domainName: string;
  /** In order of precedence. */
  readonly behaviours: readonly Behaviour[];
  readonly defaultBehaviour: Behaviour;
  readonly defaultRootObject: string;
  /** Custom error responses by status of the origin's reply. */
  readonly errorPages: ReadonlyMap<number, { readonly path: string; readonly status: number }>;
}

/** Resources that a distribution refers to, by id or ARN. */
export interface ReferencedResources {
  readonly policies: ReadonlyMap<string, Forwarded>;
  readonly responseHeaders: ReadonlyMap<string, ResponseHeaders>;
  readonly functions: ReadonlyMap<string, ViewerFunction>;
}

/** Resolves the references of a distribution. @throws Error for a reference that does not exist or is not supported */
export function distributionParts(
  { id, domainName }: { readonly id: string; readonly domainName: string },
  { DistributionConfig: config }: z.infer<typeof distributionProperties>,
  referenced: ReferencedResources,
): DistributionParts {
  const needed = <T>(found: T | undefined, what: string): T => {
    if (found === undefined)
      throw new Error(`Distribution ${id} refers to ${what}, which is not supported on this machine`);
    return found;
  };
  const policy = (policyId: string) =>
    needed(referenced.policies.get(policyId) ?? managedPolicies[policyId], `policy ${policyId}`);

  function behaviourOf(one: z.infer<typeof behaviour>, pattern: string): Behaviour {
    const origin = needed(
      config.Origins.find(({ Id }) => Id === one.TargetOriginId),
      `origin ${one.TargetOriginId}`,
    );
    const [association] = one.FunctionAssociations;
    const { EnableAcceptEncodingBrotli: brotli, EnableAcceptEncodingGzip: gzip } = policy(one.CachePolicyId);
    const headersId = one.ResponseHeadersPolicyId;
    return {
      pattern: pattern.startsWith('/') || pattern.startsWith('*') ? pattern : `/${pattern}`,
      methods: one.AllowedMethods,
      origin: {
        domain: origin.DomainName,
        path: origin.OriginPath,
        customHeaders: origin.OriginCustomHeaders.map(({ HeaderName, HeaderValue }) => [HeaderName, HeaderValue]),
      },
      policies: [one.CachePolicyId, one.OriginRequestPolicyId ?? []].flat().map(policy),
      viewerFunction:
        association && needed(referenced.functions.get(association.FunctionARN), `function ${association.FunctionARN}`),
      responseHeaders:
        headersId === undefined
          ? (reply) => reply
          : needed(
              referenced.responseHeaders.get(headersId) ?? managedResponseHeaders[headersId],
              `policy ${headersId}`,
            ),
      compression: { brotli: one.Compress && brotli, gzip: one.Compress && gzip },
    };
  }

  return {
    id,
    domainName,
    behaviours: config.CacheBehaviors.map((one) => behaviourOf(one, one.PathPattern)),
    defaultBehaviour: behaviourOf(config.DefaultCacheBehavior, '*'),
    defaultRootObject: config.DefaultRootObject.replace(/^\//, ''),
    errorPages: new Map(
      config.CustomErrorResponses.flatMap(({ ErrorCode, ResponseCode, ResponsePagePath: path }) =>
        path === undefined ? [] : [[ErrorCode, { path, status: ResponseCode ?? ErrorCode }] as const],
      ),
    ),
  };
}
