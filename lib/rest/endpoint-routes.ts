import { splitEndpointKey } from '../../contract/endpoint-table';
import type { Endpoint } from '../../contract/terms/endpoint';

/** Endpoints of the contract by method and path, such as `PATCH /v3/jobs/{jobId}`. */
export type EndpointTable = Readonly<Record<string, Endpoint>>;

export interface Route {
  /** HTTP method, in capitals. */
  readonly method: string;
  /** From the first slash, with parameters in braces. */
  readonly path: string;
  readonly endpoint: Endpoint;
}

export const listRoutes = (table: EndpointTable): Route[] =>
  Object.entries(table).map(([key, endpoint]) => ({ ...splitEndpointKey(key), endpoint }));

/** Groups items by key, in the order of each key's first item. */
export function groupBy<T>(items: readonly T[], keyOf: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) groups.set(keyOf(item), [...(groups.get(keyOf(item)) ?? []), item]);
  return groups;
}
