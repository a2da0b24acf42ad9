import createClient, { type Client } from 'openapi-fetch';
import { refusalIn } from '../errors.ts';
import type { paths } from '../openapi.ts';
import { send, type SendingRules } from './send.ts';
import type { CurrentToken, TokenSource } from './token-source.ts';

/** Options that every request takes. */
export interface CallOptions {
  /** Ends the request, which then throws the signal's reason. */
  readonly signal?: AbortSignal;
}

/** What openapi-fetch returns: the body of a success in `data`, that of a refusal in `error`. */
interface Result<Data> {
  readonly data?: Data;
  readonly error?: unknown;
  readonly response: Response;
}

/**
 * The body of a success.
 * @param request method and path without identifiers
 * @throws ApiError with what the service said instead
 */
export async function bodyOf<Data>(request: string, result: Promise<Result<Data>>): Promise<NonNullable<Data>> {
  const { data, error, response } = await result;
  if (data !== undefined && data !== null) return data;
  const { status, headers } = response;
  throw await refusalIn(request, new Response(JSON.stringify(error ?? {}), { status, headers }));
}

/** A page of a list, and what to ask for the next one with. */
interface Page {
  readonly nextToken?: string | undefined;
}

/**
 * The items of a list, page after page; a page is read when its first item is needed.
 * @param read reads the page that a token stands for, or the first one
 */
export async function* itemsOf<Read extends Page, Item>(
  read: (nextToken: string | undefined) => Promise<Read>,
  itemsIn: (page: Read) => readonly Item[],
): AsyncGenerator<Item, void, undefined> {
  let nextToken: string | undefined;
  do {
    const page = await read(nextToken);
    yield* itemsIn(page);
    ({ nextToken } = page);
  } while (nextToken !== undefined);
}

/** Methods whose requests have no body. */
const BODILESS = ['GET', 'HEAD'];

/** Ends of the paths of endpoints that create something, or send a command, and that an idempotency key makes repeatable. */
const CREATES = ['/v3/jobs/create', '/v3/jobs/dispatch', '/v3/streams/share', '/commands'];

/**
 * A `fetch` for the API: sets the access token and, on creates, an idempotency key; repeats what may be repeated. A token that
 * the service refuses is replaced once, since a 401 says that nothing was done.
 */
const authorisedFetch =
  (tokens: TokenSource, rules: SendingRules) =>
  async (request: Request): Promise<Response> => {
    const { method, url, signal } = request;
    // As bytes: as text, a file would lose what is not UTF-8, and a byte order mark.
    const content = BODILESS.includes(method) ? undefined : await request.arrayBuffer();
    const body = content?.byteLength ? content : undefined;
    const headers = new Headers(request.headers);
    const isCreate = method === 'POST' && CREATES.some((path) => new URL(url).pathname.endsWith(path));
    if (isCreate && !headers.has('idempotency-key')) headers.set('idempotency-key', crypto.randomUUID());
    const attempt = ({ token }: CurrentToken) => {
      headers.set('authorization', `Bearer ${token}`);
      return send({ method, url, headers, body, signal }, rules);
    };
    const current = await tokens.get(signal);
    const response = await attempt(current);
    if (response.status !== 401) return response;
    tokens.forget(current.token);
    const renewed = await tokens.get(signal);
    return renewed.token === current.token ? response : attempt(renewed);
  };

/** A typed client of the REST API: `rest.GET('/v3/jobs/{jobId}', { params: { path: { jobId } } })`. */
export type Rest = Client<paths>;

/** Makes the REST client, whose requests have a token and are repeated where that is safe. */
export const createRest = (baseUrl: string, tokens: TokenSource, rules: SendingRules): Rest =>
  createClient<paths>({ baseUrl, fetch: authorisedFetch(tokens, rules) });
