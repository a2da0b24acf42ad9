import { Duration } from 'aws-cdk-lib/core';
import * as cloudfront from 'aws-cdk-lib/aws-cloudfront';
import { createHash } from 'node:crypto';

/**
 * Security headers of the docs site. It runs only its own scripts, loads nothing from other hosts, and calls only the REST API,
 * to try endpoints. Renderers of code and schemas set styles on elements, so inline styles are allowed.
 * @param pages HTML of all pages, whose inline scripts are allowed by their hashes
 * @param apiUrl of the REST API
 */
export function docsHeaders(pages: readonly string[], apiUrl: string): cloudfront.ResponseHeadersPolicyProps {
  const contentSecurityPolicy = [
    `default-src 'none'`,
    ['script-src', `'self'`, ...inlineScripts(pages)].join(' '),
    `style-src 'self' 'unsafe-inline'`,
    `img-src 'self' data:`,
    `font-src 'self'`,
    // With a slash, all paths below it.
    `connect-src 'self' ${apiUrl}/`,
    `frame-ancestors 'none'`,
    `base-uri 'none'`,
    `form-action 'none'`,
  ].join('; ');
  const custom = {
    'Permissions-Policy': ['camera', 'geolocation', 'microphone', 'payment', 'usb']
      .map((name) => `${name}=()`)
      .join(', '),
    'Cross-Origin-Opener-Policy': 'same-origin',
  };
  return {
    comment: 'Docs site',
    securityHeadersBehavior: {
      contentSecurityPolicy: { contentSecurityPolicy, override: true },
      contentTypeOptions: { override: true },
      frameOptions: { frameOption: cloudfront.HeadersFrameOption.DENY, override: true },
      referrerPolicy: { referrerPolicy: cloudfront.HeadersReferrerPolicy.SAME_ORIGIN, override: true },
      strictTransportSecurity: { accessControlMaxAge: Duration.days(365), includeSubdomains: true, override: true },
    },
    customHeadersBehavior: {
      customHeaders: Object.entries(custom).map(([header, value]) => ({ header, value, override: true })),
    },
  };
}

/** Sources of the inline scripts of pages, such as `'sha256-…'`, each once. */
function inlineScripts(pages: readonly string[]): string[] {
  const scripts = pages.flatMap((html) => [...html.matchAll(/<script(?![^>]*\ssrc=)[^>]*>([^]*?)<\/script>/g)]);
  const hashes = scripts.map(([, text = '']) => createHash('sha256').update(text).digest('base64'));
  return [...new Set(hashes)].sort().map((hash) => `'sha256-${hash}'`);
}
