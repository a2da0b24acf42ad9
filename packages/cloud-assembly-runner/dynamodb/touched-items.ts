/** The items that a call reads or writes, by the partition keys under which table and indexes hold them. */
import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import * as z from 'zod';
import { operationOf } from './consumed-capacity';
import type { AwsCall } from '../service';

/** Names of the key attributes of a table. */
export interface TableKeys {
  readonly partitionKey: string;
  /** The partition key of each index, by the name of the index. */
  readonly indexes: Readonly<Record<string, string>>;
}

type Item = Record<string, AttributeValue>;

/** An item that a call touches; of a query, all items of a partition. */
export interface Touched {
  readonly table: string;
  /** The index that is read. */
  readonly index?: string | undefined;
  /** Undefined for a scan, which reads all partitions one after the other. */
  readonly partitionKey?: AttributeValue | undefined;
  /** The key of an item that is written, unless the call has the whole item. */
  readonly key?: Item | undefined;
  /** Attributes that the write sets: all of a new item, those that an update assigns a value. */
  readonly written?: Item | undefined;
}

const item = z.record(z.string(), z.custom<AttributeValue>());
const part = z.looseObject({
  TableName: z.string(),
  IndexName: z.string().optional(),
  Key: item.optional(),
  Item: item.optional(),
  KeyConditionExpression: z.string().default(''),
  UpdateExpression: z.string().default(''),
  ExpressionAttributeNames: z.record(z.string(), z.string()).default({}),
  ExpressionAttributeValues: item.default({}),
});
type Part = z.infer<typeof part>;

const batchWrites = z.object({
  RequestItems: z.record(
    z.string(),
    z.array(
      z.object({
        PutRequest: z.object({ Item: item }).optional(),
        DeleteRequest: z.object({ Key: item }).optional(),
      }),
    ),
  ),
});
const batchReads = z.object({ RequestItems: z.record(z.string(), z.looseObject({ Keys: z.array(item) })) });
const transaction = z.object({ TransactItems: z.array(z.record(z.string(), part)) });

/** `name = :value` in an expression: a condition on a key, or an assignment. */
const EQUALS = /(#?\w+)\s*=\s*(:\w+)/g;

const equalIn = (expression: string, { ExpressionAttributeNames, ExpressionAttributeValues }: Part): Item =>
  Object.fromEntries(
    [...expression.matchAll(EQUALS)].flatMap(([, name = '', value = '']) => {
      const found = ExpressionAttributeValues[value];
      return found ? [[ExpressionAttributeNames[name] ?? name, found] as const] : [];
    }),
  );

/**
 * The items of a call to DynamoDB in the order of the call; of a batch table by table.
 * @param keysOf names of the keys of a table, undefined for an unknown one, whose calls touch nothing
 * @returns none for a body that can't be read, which the engine refuses
 */
export function touchedItems(call: AwsCall, keysOf: (table: string) => TableKeys | undefined): readonly Touched[] {
  const body = parse(call.body);
  const touch = (one: Part): Touched[] => {
    const keys = keysOf(one.TableName);
    if (!keys) return [];
    const { TableName: table, IndexName: index } = one;
    const name = index === undefined ? keys.partitionKey : (keys.indexes[index] ?? '');
    const found = one.Key ?? one.Item ?? equalIn(one.KeyConditionExpression, one);
    const written = one.Item ?? equalIn(one.UpdateExpression, one);
    return [{ table, index, partitionKey: found[name], key: one.Key, written }];
  };
  const touchAll = (parts: readonly unknown[]) => parts.flatMap((one) => touch(part.parse(one)));
  switch (operationOf(call)) {
    case 'BatchWriteItem':
      return touchAll(
        Object.entries(batchWrites.safeParse(body).data?.RequestItems ?? {}).flatMap(([TableName, writes]) =>
          writes.map(({ PutRequest, DeleteRequest }) => ({
            TableName,
            Item: PutRequest?.Item,
            Key: DeleteRequest?.Key,
          })),
        ),
      );
    case 'BatchGetItem':
      return touchAll(
        Object.entries(batchReads.safeParse(body).data?.RequestItems ?? {}).flatMap(([TableName, { Keys }]) =>
          Keys.map((Key) => ({ TableName, Key })),
        ),
      );
    case 'TransactGetItems':
    case 'TransactWriteItems':
      return touchAll((transaction.safeParse(body).data?.TransactItems ?? []).flatMap((one) => Object.values(one)));
    default: {
      const { data } = part.safeParse(body);
      return data ? touch(data) : [];
    }
  }
}

function parse(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString());
  } catch {
    return undefined;
  }
}
