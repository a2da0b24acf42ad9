import type { TableUse, TableUses } from '../../contract/terms/endpoint';
import type { TableName } from '../../domain/values/table-names';

/** Merges the operations of several rows on each table. */
export function mergeUses(uses: readonly TableUses[]): Map<TableName, readonly TableUse[]> {
  const merged = new Map<TableName, readonly TableUse[]>();
  for (const [name, operations] of uses.flatMap((each) => Object.entries(each)) as [TableName, readonly TableUse[]][])
    merged.set(name, [...new Set([...(merged.get(name) ?? []), ...operations])]);
  return merged;
}
