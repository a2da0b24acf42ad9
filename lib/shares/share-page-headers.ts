import { Aws, Duration } from 'aws-cdk-lib/core';
import * as cloudfront from 'aws-cdk-lib/aws-cloudfront';
import type { MapTiles } from './map-tile-server';

/**
 * Security headers of the share page. Its URL is a capability: it sends no referrer, cannot be framed, and is not indexed. It
 * runs only its own scripts and styles, connects only to its own host and that of the video, and loads map tiles.
 */
export function sharePageHeaders(tiles: MapTiles): cloudfront.ResponseHeadersPolicyProps {
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
