/**
 * Parts of a viewer's request that are forwarded to the origin: CloudFront developer guide, "Control origin requests
 * with a policy" and "Use managed origin request policies" / "Use managed cache policies". Nothing is cached; a cache
 * policy only determines what is forwarded.
 */
import * as z from 'zod';
import type { ViewerRequest } from './functions/viewer-event';

const names = z.array(z.string()).default([]);

const forwardedShape = z.object({
  // Of cache policies only: CloudFront caches and serves compressed objects with them.
  EnableAcceptEncodingBrotli: z.boolean().default(false),
  EnableAcceptEncodingGzip: z.boolean().default(false),
  HeadersConfig: z.object({
    HeaderBehavior: z.enum(['none', 'whitelist', 'allViewer', 'allExcept']),
    Headers: names,
  }),
  CookiesConfig: z.object({ CookieBehavior: z.enum(['none', 'whitelist', 'all', 'allExcept']), Cookies: names }),
  QueryStringsConfig: z.object({
    QueryStringBehavior: z.enum(['none', 'whitelist', 'all', 'allExcept']),
    QueryStrings: names,
  }),
});

export const cachePolicyProperties = z.object({
  CachePolicyConfig: z.object({ ParametersInCacheKeyAndForwardedToOrigin: forwardedShape }),
});

export const originRequestPolicyProperties = z.object({ OriginRequestPolicyConfig: forwardedShape });

/** What one policy forwards. */
export type Forwarded = z.infer<typeof forwardedShape>;

function forwards(headers: string, except: readonly string[], rest: 'none' | 'all'): Forwarded {
  return forwardedShape.parse({
    HeadersConfig: { HeaderBehavior: headers, Headers: except },
    CookiesConfig: { CookieBehavior: rest },
    QueryStringsConfig: { QueryStringBehavior: rest },
  });
}

/** AWS managed policies by id. */
export const managedPolicies: Readonly<Record<string, Forwarded>> = {
  // CachingDisabled, CachingOptimized
  '4135ea2d-6df8-44a3-9df3-4b5a84be39ad': forwards('none', [], 'none'),
  '658327ea-f89d-4fab-a63d-7e88639e58f6': {
    ...forwards('none', [], 'none'),
    EnableAcceptEncodingBrotli: true,
    EnableAcceptEncodingGzip: true,
  },
  // AllViewer, AllViewerExceptHostHeader
  '216adef6-5c7f-47e4-b989-5492eafa07d3': forwards('allViewer', [], 'all'),
  'b689b0a8-53d0-40ab-baf2-68738e2966ac': forwards('allExcept', ['host'], 'all'),
};

/** Hop-by-hop headers, and those that a WebSocket handshake requires. */
const hopByHop = new Set([
  'connection',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);
const handshake = new Set(['sec-websocket-key', 'sec-websocket-version']);

/** The parts of a viewer's request that any of the policies forwards. */
export function forwardedPart(
  viewer: ViewerRequest,
  policies: readonly Forwarded[],
): Pick<ViewerRequest, 'query' | 'headers'> {
  const allows = (choose: (policy: Forwarded) => boolean) => policies.some(choose);
  const header = (name: string) =>
    allows(({ HeadersConfig: { HeaderBehavior, Headers } }) => admits(HeaderBehavior, Headers.map(lower), name));
  const cookie = (name: string) =>
    allows(({ CookiesConfig: { CookieBehavior, Cookies } }) => admits(CookieBehavior, Cookies, name));
  const parameter = (name: string) =>
    allows(({ QueryStringsConfig: { QueryStringBehavior, QueryStrings } }) =>
      admits(QueryStringBehavior, QueryStrings, name),
    );

  return {
    query: viewer.query
      .split('&')
      .filter((pair) => pair !== '' && parameter(pair.split('=')[0] ?? ''))
      .join('&'),
    headers: viewer.headers.flatMap(([name, value]) => {
      const known = lower(name);
      if (hopByHop.has(known)) return [];
      if (known !== 'cookie') return handshake.has(known) || header(known) ? [[name, value] as const] : [];
      const kept = value.split(/; */).filter((one) => cookie(one.split('=')[0] ?? ''));
      return kept.length > 0 ? [[name, kept.join('; ')] as const] : [];
    }),
  };
}

function admits(behaviour: string, listed: readonly string[], name: string): boolean {
  if (behaviour === 'whitelist') return listed.includes(name);
  if (behaviour === 'allExcept') return !listed.includes(name);
  return behaviour === 'all' || behaviour === 'allViewer';
}

function lower(name: string): string {
  return name.toLowerCase();
}
