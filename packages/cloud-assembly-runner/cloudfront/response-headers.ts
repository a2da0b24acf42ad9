/** CloudFront developer guide, "Add or remove HTTP headers in CloudFront responses with a policy". */
import * as z from 'zod';
import type { Reply } from './origin';

const override = z.boolean();

const config = z.object({
  SecurityHeadersConfig: z
    .object({
      ContentSecurityPolicy: z.object({ ContentSecurityPolicy: z.string(), Override: override }).optional(),
      ContentTypeOptions: z.object({ Override: override }).optional(),
      FrameOptions: z.object({ FrameOption: z.enum(['DENY', 'SAMEORIGIN']), Override: override }).optional(),
      ReferrerPolicy: z.object({ ReferrerPolicy: z.string(), Override: override }).optional(),
      StrictTransportSecurity: z
        .object({
          AccessControlMaxAgeSec: z.number(),
          IncludeSubdomains: z.boolean().default(false),
          Preload: z.boolean().default(false),
          Override: override,
        })
        .optional(),
      XSSProtection: z
        .object({
          Protection: z.boolean(),
          ModeBlock: z.boolean().default(false),
          ReportUri: z.string().optional(),
          Override: override,
        })
        .optional(),
    })
    .default({}),
  CustomHeadersConfig: z
    .object({ Items: z.array(z.object({ Header: z.string(), Value: z.string(), Override: override })) })
    .default({ Items: [] }),
  RemoveHeadersConfig: z.object({ Items: z.array(z.object({ Header: z.string() })) }).default({ Items: [] }),
  CorsConfig: z.undefined({ error: 'CORS of a response headers policy is not supported on this machine' }).optional(),
});

export const responseHeadersPolicyProperties = z.object({ ResponseHeadersPolicyConfig: config });

/** Adds and removes response headers according to a policy. */
export type ResponseHeaders = (reply: Reply) => Reply;

interface Added {
  readonly name: string;
  readonly value: string;
  readonly override: boolean;
}

/** An origin's header of the same name is kept unless the policy overrides it. */
export function compileResponseHeaders(policy: z.infer<typeof config>): ResponseHeaders {
  const removed = new Set(policy.RemoveHeadersConfig.Items.map(({ Header }) => Header.toLowerCase()));
  const added = [
    ...securityHeaders(policy.SecurityHeadersConfig),
    ...policy.CustomHeadersConfig.Items.map((one) => ({ name: one.Header, value: one.Value, override: one.Override })),
  ];
  return (reply) => {
    const headers = new Map(Object.entries(reply.headers).map(([name, value]) => [name.toLowerCase(), value]));
    for (const name of removed) headers.delete(name);
    for (const { name, value, override: wins } of added) {
      if (wins || !headers.has(name.toLowerCase())) headers.set(name.toLowerCase(), value);
    }
    return { ...reply, headers: Object.fromEntries(headers) };
  };
}

function securityHeaders(security: z.infer<typeof config>['SecurityHeadersConfig']): Added[] {
  const { ContentSecurityPolicy, ContentTypeOptions, FrameOptions, ReferrerPolicy } = security;
  const { StrictTransportSecurity: sts, XSSProtection: xss } = security;
  const header = (name: string, value: string, of: { Override: boolean } | undefined): Added[] =>
    of ? [{ name, value, override: of.Override }] : [];
  return [
    ...header('content-security-policy', ContentSecurityPolicy?.ContentSecurityPolicy ?? '', ContentSecurityPolicy),
    ...header('x-content-type-options', 'nosniff', ContentTypeOptions),
    ...header('x-frame-options', FrameOptions?.FrameOption ?? '', FrameOptions),
    ...header('referrer-policy', ReferrerPolicy?.ReferrerPolicy ?? '', ReferrerPolicy),
    ...header(
      'strict-transport-security',
      [
        `max-age=${sts?.AccessControlMaxAgeSec}`,
        sts?.IncludeSubdomains ? 'includeSubDomains' : [],
        sts?.Preload ? 'preload' : [],
      ]
        .flat()
        .join('; '),
      sts,
    ),
    ...header(
      'x-xss-protection',
      [xss?.Protection ? '1' : '0', xss?.ModeBlock ? 'mode=block' : [], xss?.ReportUri ? `report=${xss.ReportUri}` : []]
        .flat()
        .join('; '),
      xss,
    ),
  ];
}

/** AWS managed policies by id: SecurityHeadersPolicy. */
export const managedResponseHeaders: Readonly<Record<string, ResponseHeaders>> = {
  '67f7725c-6f97-4210-82d7-5512b31e9d03': compileResponseHeaders(
    config.parse({
      SecurityHeadersConfig: {
        ContentTypeOptions: { Override: true },
        FrameOptions: { FrameOption: 'SAMEORIGIN', Override: false },
        ReferrerPolicy: { ReferrerPolicy: 'strict-origin-when-cross-origin', Override: false },
        StrictTransportSecurity: { AccessControlMaxAgeSec: 31_536_000, Override: false },
        XSSProtection: { Protection: true, ModeBlock: true, Override: false },
      },
    }),
  ),
};
