import type { Endpoint } from '../../terms/endpoint';
import type { Header, Reference } from './openapi-types';

/** Headers of responses, by the name of their component. */
export const headers = {
  RequestId: {
    description: 'Identifies the request. Name it when you report a problem.',
    required: true,
    schema: { type: 'string', minLength: 8, examples: ['0b1f2c9e-5a3d-4c7e-9a54-3f7d1c2b8e60'] },
  },
  RequestIdIfRead: {
    description: 'Identifies the request. Name it when you report a problem. Missing with 413 alone.',
    required: false,
    schema: { type: 'string', minLength: 8, examples: ['0b1f2c9e-5a3d-4c7e-9a54-3f7d1c2b8e60'] },
  },
  CacheControl: {
    description: 'Responses must not be stored by caches.',
    required: true,
    schema: { type: 'string', const: 'no-store' },
  },
  ETag: {
    description: 'Version of the job in quotes, for `If-Match`.',
    required: true,
    schema: { type: 'string', pattern: '^"[0-9]+"$', examples: ['"1"'] },
  },
  RateLimitLimit: {
    description: 'Calls of this operation that your client has per minute.',
    required: false,
    schema: { type: 'integer', format: 'int32', minimum: 1, examples: [60] },
  },
  RateLimitRemaining: {
    description: 'Calls that are left in this window.',
    required: false,
    schema: { type: 'integer', format: 'int32', minimum: 0, examples: [59] },
  },
  RateLimitReset: {
    description: 'When the next window begins, Unix time in seconds: the next full minute.',
    required: false,
    schema: { type: 'integer', format: 'int64', minimum: 0, examples: [1795775460] },
  },
  RetryAfter: {
    description:
      'With 429: seconds to wait before the next attempt, 1 to 60. Missing when AWS limits the whole service: then wait a second, and double that with each further attempt.',
    required: false,
    schema: { type: 'integer', format: 'int32', minimum: 1, examples: [23] },
  },
  WWWAuthenticate: {
    description:
      'With 401: the scheme to authenticate with, and `error="invalid_token"` for a token that is not accepted (RFC 6750 section 3.1). Missing when the token expired within the last five minutes.',
    required: false,
    schema: { type: 'string', examples: ['Bearer error="invalid_token"'] },
  },
  Allow: {
    description: 'With 405: the methods of this path, separated by commas.',
    required: false,
    schema: { type: 'string', minLength: 3, examples: ['DELETE, GET, PATCH'] },
  },
  Vary: {
    description: 'The response depends on this header of the request.',
    required: true,
    schema: { type: 'string', const: 'Accept' },
  },
  ContentDisposition: {
    description: 'With a file as it was sent alone: to be saved, under this name.',
    required: false,
    schema: {
      type: 'string',
      minLength: 1,
      examples: ['attachment; filename="mission-7k2m9qx4-01kb1x5m9v3f8q2r7t6w4y0z1a.kml"'],
    },
  },
  ContentTypeOptions: {
    description: 'With a file as it was sent alone: it is of no other type than `Content-Type` says.',
    required: false,
    schema: { type: 'string', const: 'nosniff' },
  },
  AmazonRequestId: {
    description: 'With 413: identifies the request, in place of `x-request-id`.',
    required: false,
    schema: { type: 'string', minLength: 8, examples: ['0b1f2c9e-5a3d-4c7e-9a54-3f7d1c2b8e60'] },
  },
} as const satisfies Record<string, Header>;

const refer = (name: keyof typeof headers): Reference => ({ $ref: `#/components/headers/${name}` });

export const requestId = { 'x-request-id': refer('RequestId') };
export const requestIdIfRead = { 'x-request-id': refer('RequestIdIfRead') };
export const amazonRequestId = { 'x-amzn-RequestId': refer('AmazonRequestId') };
export const noStore = { 'Cache-Control': refer('CacheControl') };
export const allow = { Allow: refer('Allow') };
export const wwwAuthenticate = { 'WWW-Authenticate': refer('WWWAuthenticate') };
export const retryAfter = { 'Retry-After': refer('RetryAfter') };
export const vary = { Vary: refer('Vary') };
export const ofFile = {
  'Content-Disposition': refer('ContentDisposition'),
  'X-Content-Type-Options': refer('ContentTypeOptions'),
};
export const eTag = { ETag: refer('ETag') };

const rateLimitHeaders = {
  'X-RateLimit-Limit': refer('RateLimitLimit'),
  'X-RateLimit-Remaining': refer('RateLimitRemaining'),
  'X-RateLimit-Reset': refer('RateLimitReset'),
};

/** The headers of an endpoint with a rate limit; none for others. */
export const rateLimitHeaderReferences = ({ perMinute }: Pick<Endpoint, 'perMinute'>): Record<string, Reference> =>
  perMinute === undefined ? {} : rateLimitHeaders;
