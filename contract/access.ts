import type { Endpoint, Scope } from './endpoint';
import { endpoints, type EndpointKey } from './endpoints';

export const scopes = [
  'command:create',
  'command:read',
  'command:update',
  'stream:share',
  'stream:publish',
  'share:read',
  'share:manage',
  'resources:read',
] as const satisfies readonly Scope[];

/** The table with its general type, for what looks at any endpoint. */
export const endpointTable: Readonly<Record<EndpointKey, Endpoint>> = endpoints;

/** Method and path of an endpoint's key. */
export function routeOf(key: string): { method: string; path: string } {
  const [method = '', path = ''] = key.split(' ');
  return { method, path };
}

/** The endpoints that a token with these scopes may call. */
export const endpointsFor = (held: readonly string[]): readonly EndpointKey[] =>
  (Object.keys(endpointTable) as EndpointKey[]).filter((key) => {
    const { scope } = endpointTable[key];
    return scope !== null && held.includes(scope);
  });
