/**
 * AWS_PROXY integrations: API Gateway developer guide, "Lambda proxy integrations in API Gateway" (input and output
 * format), "Return binary media from a Lambda proxy integration in API Gateway" and "Amazon API Gateway important notes"
 * (which headers are dropped or renamed).
 */
import * as z from 'zod';
import { FunctionError, RequestTooLarge } from '../../lambda';
import { areBinary, decodeBase64, type BinaryMediaTypes } from '../binary-media-types';
import { headerOf, type Call, type GatewayReply, type Values } from './call';
import { GatewayError } from '../gateway-responses';
import type { Functions } from './functions';

const output = z.object({
  statusCode: z.coerce.number().int().min(100).max(599),
  headers: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()]).transform(String)).nullish(),
  multiValueHeaders: z
    .record(z.string(), z.array(z.union([z.string(), z.number(), z.boolean()]).transform(String)))
    .nullish(),
  body: z.string().nullish(),
  isBase64Encoded: z.boolean().nullish(),
});

/** Request headers that are not passed to the function, in lower case. */
const DROPPED_REQUEST_HEADERS = new Set(
  'connection content-md5 expect max-forwards proxy-authenticate server te trailer transfer-encoding upgrade www-authenticate'.split(
    ' ',
  ),
);
/** Response headers of a function that API Gateway renames to `x-amzn-Remapped-…`. */
const REMAPPED_RESPONSE_HEADERS = new Set(
  'authorization connection content-md5 date max-forwards server user-agent www-authenticate'.split(' '),
);
/** Response headers of a function that API Gateway drops; it computes the length itself. */
const DROPPED_RESPONSE_HEADERS = new Set(
  'content-length expect host proxy-authenticate te trailer transfer-encoding upgrade via'.split(' '),
);

/** Invokes the function of a method and converts its answer. @throws GatewayError */
export async function callLambda(
  call: Call,
  integration: { readonly functionArn: string; readonly timeoutMs: number },
  sourceArn: string,
  functions: Functions,
  binaryTypes: BinaryMediaTypes,
): Promise<GatewayReply> {
  const { functionArn, timeoutMs } = integration;
  const result = await within(timeoutMs, functions.invoke(functionArn, sourceArn, proxyEvent(call, binaryTypes))).catch(
    (error: unknown) => {
      if (error instanceof RequestTooLarge) throw new GatewayError('REQUEST_TOO_LARGE');
      if (error instanceof FunctionError) throw new GatewayError('DEFAULT_5XX');
      throw error;
    },
  );
  const parsed = output.safeParse(result);
  if (!parsed.success) {
    functions.log(
      `Execution failed: malformed Lambda proxy response of ${functionArn}: ${z.prettifyError(parsed.error)}`,
    );
    throw new GatewayError('DEFAULT_5XX');
  }
  const { statusCode, headers, multiValueHeaders, isBase64Encoded } = parsed.data;
  const text = parsed.data.body ?? '';
  // Whoever does not accept a binary type in the first place gets the base64 text.
  const isBinary = isBase64Encoded === true && areBinary(binaryTypes, headerOf(call.request, 'accept'));
  const body = isBinary ? decodeBase64(text) : text;
  if (body === undefined) {
    functions.log(`Execution failed due to configuration error: Unable to base64 decode the body of ${functionArn}`);
    throw new GatewayError('API_CONFIGURATION_ERROR');
  }
  return { status: statusCode, headers: replyHeaders(headers ?? {}, multiValueHeaders ?? {}), body };
}

function proxyEvent({ request, context, pathParameters, stageVariables, body }: Call, binaryTypes: BinaryMediaTypes) {
  const isBase64Encoded = body.length > 0 && areBinary(binaryTypes, headerOf(request, 'content-type'));
  return {
    resource: context.resourcePath,
    path: request.path,
    httpMethod: request.method,
    headers: orNull(without(DROPPED_REQUEST_HEADERS, request.headers).single),
    multiValueHeaders: orNull(without(DROPPED_REQUEST_HEADERS, request.headers).multi),
    queryStringParameters: orNull(request.query.single),
    multiValueQueryStringParameters: orNull(request.query.multi),
    pathParameters: orNull(pathParameters),
    stageVariables: orNull(stageVariables),
    requestContext: context,
    body: body.length === 0 ? null : body.toString(isBase64Encoded ? 'base64' : 'utf8'),
    isBase64Encoded,
  };
}

/** API Gateway passes null instead of an empty map. */
function orNull<T extends object>(values: T): T | null {
  return Object.keys(values).length === 0 ? null : values;
}

function without(names: ReadonlySet<string>, { single, multi }: Values): Values {
  const kept = <T>(values: Readonly<Record<string, T>>) =>
    Object.fromEntries(Object.entries(values).filter(([name]) => !names.has(name.toLowerCase())));
  return { single: kept(single), multi: kept(multi) };
}

/** Merges `headers` and `multiValueHeaders`; the latter wins for a name in both. */
function replyHeaders(
  single: Readonly<Record<string, string>>,
  multi: Readonly<Record<string, string[]>>,
): Record<string, string | string[]> {
  const headers: Record<string, string | string[]> = {};
  let typed = false;
  for (const [name, value] of Object.entries({ ...single, ...multi })) {
    const lower = name.toLowerCase();
    typed ||= lower === 'content-type';
    if (!DROPPED_RESPONSE_HEADERS.has(lower))
      headers[REMAPPED_RESPONSE_HEADERS.has(lower) ? `x-amzn-Remapped-${name}` : name] = value;
  }
  return typed ? headers : { 'Content-Type': 'application/json', ...headers };
}

async function within<T>(limitMs: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new GatewayError('INTEGRATION_TIMEOUT')), limitMs);
  });
  try {
    return await Promise.race([work, limit]);
  } finally {
    clearTimeout(timer);
  }
}
