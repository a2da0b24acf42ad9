import type { Endpoint } from './endpoint';
import { endpoints, type EndpointKey } from './endpoints';

/** The endpoints with their general type, for code that handles any of them. */
export const endpointTable: Readonly<Record<EndpointKey, Endpoint>> = endpoints;

/** Method and path of an endpoint's key, such as `PATCH /v3/jobs/{jobId}`. */
export function routeOf(key: string): { method: string; path: string } {
  const [method = '', path = ''] = key.split(' ');
  return { method, path };
}

/** The endpoints that a token with these scopes may call. */
export const endpointsFor = (granted: readonly string[]): readonly EndpointKey[] =>
  (Object.keys(endpointTable) as EndpointKey[]).filter((key) => {
    const { scope } = endpointTable[key];
    return scope !== null && granted.includes(scope);
  });
