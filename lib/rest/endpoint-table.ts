import { routeOf } from '../../contract/access';
import type { Endpoint, TableName, TableUse } from '../../contract/endpoint';

/** Method and path, such as `PATCH /v3/jobs/{jobId}`, and what is promised there. */
export type EndpointTable = Readonly<Record<string, Endpoint>>;

export interface Route {
  /** HTTP method, in capitals. */
  readonly method: string;
  /** From the first slash, with parameters in braces. */
  readonly path: string;
  readonly endpoint: Endpoint;
}

/** The table, row by row. */
export const routesOf = (table: EndpointTable): Route[] =>
  Object.entries(table).map(([key, endpoint]) => ({ ...routeOf(key), endpoint }));

/** Groups what has the same key, in the order of the first of each. */
export function groupBy<T>(items: readonly T[], keyOf: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) groups.set(keyOf(item), [...(groups.get(keyOf(item)) ?? []), item]);
  return groups;
}

/** All that some endpoints do to each table. */
export function usesOf(endpoints: readonly Endpoint[]): Endpoint['tables'] {
  const uses: Partial<Record<TableName, TableUse[]>> = {};
  for (const { tables } of endpoints) {
    for (const [name, operations] of Object.entries(tables) as [TableName, readonly TableUse[]][]) {
      uses[name] = [...new Set([...(uses[name] ?? []), ...operations])];
    }
  }
  return uses;
}
