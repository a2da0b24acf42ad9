import type { Endpoint } from './terms/endpoint';
import { endpoints, type EndpointKey } from './endpoints';

/** The endpoints with their general type, for code that handles any of them. */
export const endpointTable: Readonly<Record<EndpointKey, Endpoint>> = endpoints;

/** Method and path of an endpoint's key, such as `PATCH /v3/jobs/{jobId}`. */
export function splitEndpointKey(key: string): { method: string; path: string } {
  const [method = '', path = ''] = key.split(' ');
  return { method, path };
}

/**
 * Body of the 405 of a path. Where others expect to create by a POST to the list, it says how.
 * @param table the endpoints by key
 */
export const methodNotAllowed = (path: string, table: object) => ({
  error: 'Method not allowed',
  ...(`POST ${path}/create` in table && { details: [{ path: '', message: `create by POST ${path}/create` }] }),
});
