/**
 * Cross-origin calls of web pages: Fetch standard, "CORS protocol". On AWS an API permits them with methods and headers of
 * its own; here they are permitted in front of the API, for tools on this machine, and the API does not know.
 */
import { headerOf, type GatewayReply, type GatewayRequest } from './integrations/call';

/** How long browsers remember a preflight; the longest that Chromium accepts is two hours. */
const MAX_AGE_SECONDS = 600;

export interface Cors {
  /** The reply to a preflight of a permitted origin; undefined for every other request. */
  preflight(request: GatewayRequest): GatewayReply | undefined;
  /** Lets pages of a permitted origin read the reply, with all its headers. */
  permit(request: GatewayRequest, reply: GatewayReply): GatewayReply;
}

/** @param origins permitted origins, such as `http://127.0.0.1:3001` */
export function createCors(origins: readonly string[]): Cors {
  const permitted = (request: GatewayRequest) => {
    const origin = headerOf(request, 'origin');
    return origin !== undefined && origins.includes(origin) ? { 'Access-Control-Allow-Origin': origin } : undefined;
  };
  return {
    preflight(request) {
      const origin = permitted(request);
      const method = headerOf(request, 'access-control-request-method');
      if (!origin || request.method !== 'OPTIONS' || method === undefined) return undefined;
      const headers = {
        ...origin,
        Vary: 'Origin',
        'Access-Control-Allow-Methods': method,
        // By name: a wildcard does not include Authorization.
        'Access-Control-Allow-Headers': headerOf(request, 'access-control-request-headers') ?? '',
        'Access-Control-Max-Age': String(MAX_AGE_SECONDS),
      };
      return { status: 204, headers, body: '' };
    },

    permit(request, reply) {
      const origin = permitted(request);
      if (!origin) return reply;
      return {
        ...reply,
        headers: { ...reply.headers, ...origin, Vary: 'Origin', 'Access-Control-Expose-Headers': '*' },
      };
    },
  };
}
