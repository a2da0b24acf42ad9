import type { Endpoint } from './endpoint';
import { endpoints, type EndpointKey } from './endpoints';

/** The endpoints with their general type, for code that handles any of them. */
export const endpointTable: Readonly<Record<EndpointKey, Endpoint>> = endpoints;

/** Method and path of an endpoint's key, such as `PATCH /v3/jobs/{jobId}`. */
export function routeOf(key: string): { method: string; path: string } {
  const [method = '', path = ''] = key.split(' ');
  return { method, path };
}
