import { anySignal } from '../abort.ts';
import { connectionError, notTheApi } from '../connection-problem.ts';

/** A request that can be sent more than once. */
export interface RepeatableRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Headers;
  readonly body: string | ArrayBuffer | undefined;
  readonly signal: AbortSignal | null;
}

/** The function that sends requests: `fetch`, or one with its signature. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** Statuses whose response has no body. */
const BODILESS = [204, 304];

/**
 * Sends a request once and reads its answer to the end.
 * @returns the answer, whose body is JSON, or of a media type that the request accepts
 * @throws ConnectionError without an answer of this API; the reason of the request's signal
 */
export async function exchange(fetch: Fetch, request: RepeatableRequest, timeoutMs: number): Promise<Response> {
  const { method, url, headers, body, signal } = request;
  try {
    const limits = anySignal(signal, AbortSignal.timeout(timeoutMs));
    const response = await fetch(url, { method, headers, signal: limits, ...(body !== undefined && { body }) });
    const content = await response.arrayBuffer();
    const { status } = response;
    if (isFromAnotherServer(response, content, headers.get('accept'))) throw notTheApi(url, 'baseUrl');
    return new Response(BODILESS.includes(status) ? null : content, { status, headers: response.headers });
  } catch (error) {
    signal?.throwIfAborted();
    throw isOurs(error) ? error : connectionError(error, url, 'baseUrl');
  }
}

const isOurs = (error: unknown) => error instanceof Error && error.name === 'ConnectionError';

/**
 * Every answer of the API is JSON, or what the request accepts; of what stands before it only errors may be something else.
 * @param accept the media types that the request accepts, if it names any
 */
function isFromAnotherServer({ status, headers }: Response, content: ArrayBuffer, accept: string | null): boolean {
  if (status >= 500 || status === 429) return false;
  const [mediaType = ''] = headers.get('content-type')?.split(';') ?? [];
  if (accept?.split(', ').includes(mediaType)) return false;
  try {
    JSON.parse(new TextDecoder().decode(content));
    return false;
  } catch {
    return !/^application\/json\b/.test(headers.get('content-type') ?? '') || status < 300;
  }
}
