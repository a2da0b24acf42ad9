import type {
  CreateTableCommandInput,
  GlobalSecondaryIndex,
  GlobalSecondaryIndexDescription,
  KeySchemaElement,
  TableDescription,
  UpdateTableCommandInput,
} from '@aws-sdk/client-dynamodb';

/** The names of the keys, in their order. */
export const keysOf = (schema: readonly KeySchemaElement[] = []): string =>
  schema.map(({ AttributeName }) => AttributeName).join(' ');

/** The indexes of a table, each as its name with what can't be changed: its keys and what it holds. */
export const indexesOf = (
  indexes: readonly (GlobalSecondaryIndex | GlobalSecondaryIndexDescription)[] = [],
): ReadonlyMap<string, string> =>
  new Map(
    indexes.map(({ IndexName = '', KeySchema, Projection }) => [
      IndexName,
      [keysOf(KeySchema), Projection?.ProjectionType, ...(Projection?.NonKeyAttributes ?? []).toSorted()].join(' '),
    ]),
  );

/**
 * What changes a table's global indexes to those of the template, as CloudFormation does it: one is added or deleted in
 * an update, and one that exists can't be changed (CloudFormation user guide, `AWS::DynamoDB::Table`,
 * GlobalSecondaryIndexes).
 * @param existing the table as it is
 * @param wanted the table of the template
 * @returns the call; undefined when nothing changes
 * @throws Error for what CloudFormation refuses
 */
export function indexChange(
  existing: TableDescription,
  wanted: CreateTableCommandInput,
): UpdateTableCommandInput | undefined {
  const { TableName, AttributeDefinitions, GlobalSecondaryIndexes = [] } = wanted;
  const before = indexesOf(existing.GlobalSecondaryIndexes);
  const after = indexesOf(GlobalSecondaryIndexes);
  const changed = [...after.keys()].find((name) => before.has(name) && before.get(name) !== after.get(name));
  if (changed !== undefined)
    throw new Error(
      `Index ${changed} of table ${TableName} has other keys or attributes than the one that exists, which an update can't change: ` +
        'add it under another name, or remove the data folder to start afresh',
    );
  const changes = [
    ...GlobalSecondaryIndexes.filter(({ IndexName = '' }) => !before.has(IndexName)).map((index) => ({
      Create: index,
    })),
    ...[...before.keys()].filter((IndexName) => !after.has(IndexName)).map((IndexName) => ({ Delete: { IndexName } })),
  ];
  if (changes.length > 1)
    throw new Error(
      `Table ${TableName} has ${changes.length} indexes more or fewer than the one that exists, and an update adds or deletes one: ` +
        'deploy them one after the other, or remove the data folder to start afresh',
    );
  return changes.length === 0 ? undefined : { TableName, AttributeDefinitions, GlobalSecondaryIndexUpdates: changes };
}
