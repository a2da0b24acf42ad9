/** Event and result of functions: CloudFront developer guide, "CloudFront Functions event structure". */
import * as z from 'zod';
import type { Pairs, Reply } from '../origin';

export interface ViewerRequest {
  readonly method: string;
  /** Percent-encoded, as sent. */
  readonly uri: string;
  /** As sent, without the question mark. */
  readonly query: string;
  readonly headers: Pairs;
  readonly ip: string;
}

const value = z.object({
  value: z.coerce.string(),
  multiValue: z.array(z.object({ value: z.coerce.string() })).optional(),
});
const values = z.record(z.string(), value).default({});

const requestShape = z.object({
  uri: z.string().startsWith('/'),
  querystring: values,
  headers: values,
  cookies: values,
});

const replyShape = z.object({
  statusCode: z.number().int().min(100).max(599),
  headers: values,
  cookies: z.record(z.string(), z.object({ value: z.string(), attributes: z.string().optional() })).default({}),
  body: z
    .union([z.string(), z.object({ data: z.string(), encoding: z.enum(['text', 'base64']).default('text') })])
    .default(''),
});

/** Result of a viewer-request function: a request, perhaps modified, or a reply. */
export type ViewerFunctionResult = { readonly request: ViewerRequest } | { readonly reply: Reply };

/** Headers that functions can neither read nor set ("Restrictions on edge functions", disallowed headers). */
const disallowedHeaders =
  /^(connection|expect|keep-alive|proxy-(authenticate|authorization|connection)|trailer|upgrade|x-accel-.*|x-amz-cf-.*|x-edge-.*|x-forwarded-proto|x-real-ip|cookie)$/;

/** Event of version 1.0. */
export function viewerRequestEvent(
  { method, uri, query, headers, ip }: ViewerRequest,
  distribution: { readonly id: string; readonly domainName: string },
  requestId: string,
) {
  const cookies = pairs(headers, 'cookie').flatMap((line) => line.split(/; */).filter(Boolean).map(nameAndValue));
  const visible = headers
    .map(([name, one]) => [name.toLowerCase(), one] as const)
    .filter(([name]) => !disallowedHeaders.test(name));
  return {
    version: '1.0',
    context: {
      distributionDomainName: distribution.domainName,
      distributionId: distribution.id,
      eventType: 'viewer-request',
      requestId,
    },
    viewer: { ip },
    request: {
      method,
      uri,
      querystring: valuesOf(query.split('&').filter(Boolean).map(nameAndValue)),
      headers: valuesOf(visible),
      cookies: valuesOf(cookies),
    },
  };
}

/** Parses the result of a function. @throws ZodError if it is neither a request nor a reply */
export function parseResult(result: unknown, viewer: ViewerRequest): ViewerFunctionResult {
  if (typeof result === 'object' && result !== null && 'statusCode' in result) return { reply: replyOf(result) };
  const { uri, querystring, headers, cookies } = requestShape.parse(result);
  const casing = new Map(viewer.headers.map(([name]) => [name.toLowerCase(), name]));
  const cookie = pairsOf(cookies).map(([name, one]) => `${name}=${one}`);
  return {
    request: {
      ...viewer,
      uri,
      query: pairsOf(querystring)
        .map(([name, one]) => `${name}=${one}`)
        .join('&'),
      headers: [
        ...viewer.headers.filter(
          ([name]) => disallowedHeaders.test(name.toLowerCase()) && name.toLowerCase() !== 'cookie',
        ),
        ...pairsOf(headers)
          .filter(([name]) => !disallowedHeaders.test(name.toLowerCase()))
          .map(([name, one]) => [casing.get(name) ?? name, one] as const),
        ...(cookie.length > 0 ? [['Cookie', cookie.join('; ')] as const] : []),
      ],
    },
  };
}

function replyOf(result: object): Reply {
  const { statusCode, headers, cookies, body } = replyShape.parse(result);
  const setCookie = Object.entries(cookies).map(([name, one]) =>
    [`${name}=${one.value}`, one.attributes ?? []].flat().join('; '),
  );
  return {
    status: statusCode,
    headers: {
      ...Object.fromEntries(
        Object.entries(headers).map(([name, one]) => [name, one.multiValue?.map((each) => each.value) ?? one.value]),
      ),
      ...(setCookie.length > 0 && { 'set-cookie': setCookie }),
    },
    body: typeof body === 'string' ? body : Buffer.from(body.data, body.encoding === 'base64' ? 'base64' : 'utf8'),
  };
}

function pairs(headers: Pairs, name: string): string[] {
  return headers.filter(([other]) => other.toLowerCase() === name).map(([, one]) => one);
}

function nameAndValue(text: string): [string, string] {
  const [name = '', ...rest] = text.split('=');
  return [name, rest.join('=')];
}

/** A repeated name has its first value as `value` and all values as `multiValue`. */
function valuesOf(all: Pairs): Record<string, unknown> {
  const byName = new Map<string, string[]>();
  for (const [name, one] of all) byName.set(name, [...(byName.get(name) ?? []), one]);
  return Object.fromEntries(
    [...byName].map(([name, many]) => [
      name,
      { value: many[0] ?? '', ...(many.length > 1 && { multiValue: many.map((one) => ({ value: one })) }) },
    ]),
  );
}

function pairsOf(record: z.infer<typeof values>): [string, string][] {
  return Object.entries(record).flatMap(([name, { value: first, multiValue }]) =>
    (multiValue ?? [{ value: first }]).map((one): [string, string] => [name, one.value]),
  );
}
