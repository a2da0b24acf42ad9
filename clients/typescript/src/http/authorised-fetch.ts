import type { CurrentToken, TokenSource } from './token-source.ts';
import { send, type SendingRules } from './send.ts';

/** Methods whose requests have no body. */
const BODILESS = ['GET', 'HEAD'];

/** Ends of the paths of endpoints that create something, or send a command, and that an idempotency key makes repeatable. */
const CREATES = ['/v3/jobs/create', '/v3/jobs/dispatch', '/v3/streams/share', '/commands'];

/**
 * A `fetch` for the API: sets the access token and, on creates, an idempotency key; repeats what may be repeated. A token that
 * the service refuses is replaced once, since a 401 says that nothing was done.
 */
export const authorisedFetch =
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
