import { scopesOf, type Endpoint } from './endpoint';
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
  (Object.keys(endpointTable) as EndpointKey[]).filter((key) => isGranted(endpointTable[key], granted));

const isGranted = (endpoint: Endpoint, granted: readonly string[]) =>
  scopesOf(endpoint).some((scope) => granted.includes(scope));

/**
 * Why API Gateway may refuse a token on a method of the REST API. Its cached policy is for all methods, so this can't name the
 * scope of the one that was called unless the token lacks only one.
 * @param granted the token's scopes
 * @returns text without quotes and backslashes, which a gateway response inserts into JSON
 */
export function whatIsLacking(granted: readonly string[]): string {
  const refused = Object.values(endpointTable).filter((endpoint) => !isGranted(endpoint, granted));
  const lacking = [...new Set(refused.flatMap(scopesOf))];
  if (lacking.length <= 1) return `needs scope ${lacking.join('')}`;
  return `needs a scope that the token lacks; it lacks ${lacking.join(', ')}`;
}
