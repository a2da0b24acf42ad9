/** The engine as an account sees it: each call is charged, and throttled by the partition keys that it touches. */
import { GetItemCommand, type AttributeValue, type DynamoDBClient } from '@aws-sdk/client-dynamodb';
import * as z from 'zod';
import { askForCapacity, isRead, isWrite, operationOf, withCharges, type Consumption } from './consumed-capacity';
import {
  createPartitionThrottle,
  refuseThrottled,
  withoutThrottled,
  type Partition,
  type PartitionLimits,
  type PartitionUse,
} from './partition-throttle';
import type { AwsAnswer, AwsCall } from '../service';

/** The keys of a table, as CloudFormation names them. */
interface TableShape {
  readonly KeySchema: readonly KeyElement[];
  readonly GlobalSecondaryIndexes?:
    | readonly { readonly IndexName: string; readonly KeySchema: readonly KeyElement[] }[]
    | undefined;
}
interface KeyElement {
  readonly AttributeName: string;
  readonly KeyType: 'HASH' | 'RANGE';
}

export interface MeteredEngine {
  addTable(name: string, shape: TableShape): void;
  answer(call: AwsCall): Promise<AwsAnswer>;
  /** What each partition key has been charged with; nothing without limits. */
  partitions(): readonly PartitionUse[];
}

const partitionKeyOf = (schema: readonly KeyElement[]) =>
  schema.find(({ KeyType }) => KeyType === 'HASH')?.AttributeName ?? '';

/** An item that a call touches, with the partition keys of table and indexes that hold it. */
interface Placed {
  readonly touched: Touched;
  readonly table: Partition | undefined;
  readonly indexes: Readonly<Record<string, Partition>>;
}

/**
 * @param forward sends a call to the engine
 * @param client of the engine, which reads the index keys of items that are written: only with limits
 */
export function createMeteredEngine(
  forward: (call: AwsCall) => Promise<AwsAnswer>,
  client: DynamoDBClient,
  limits: PartitionLimits,
): MeteredEngine {
  const tables = new Map<string, TableKeys>();
  const throttle = createPartitionThrottle(limits);
  const isLimited = Object.values(limits).some(Number.isFinite);

  /** The item before a write, which a deletion or an update does not name. */
  async function storedItem({ table, key, index }: Touched): Promise<Record<string, AttributeValue>> {
    const { indexes = {} } = tables.get(table) ?? {};
    if (index !== undefined || key === undefined || Object.keys(indexes).length === 0) return {};
    // An invalid key is refused by the call itself.
    const found = await client.send(new GetItemCommand({ TableName: table, Key: key })).catch(() => undefined);
    return found?.Item ?? {};
  }

  async function place(touched: Touched, write: boolean): Promise<Placed> {
    const { table: name, index, partitionKey, written } = touched;
    const table = partitionKey && { table: name, index, partitionKey: JSON.stringify(partitionKey) };
    if (!write) return { touched, table, indexes: {} };
    const item = { ...(await storedItem(touched)), ...written };
    const indexes = Object.entries(tables.get(name)?.indexes ?? {}).flatMap(([each, attribute]) => {
      const value = item[attribute];
      return value ? [[each, { table: name, index: each, partitionKey: JSON.stringify(value) }] as const] : [];
    });
    return { touched, table, indexes: Object.fromEntries(indexes) };
  }

  async function limited(call: AwsCall): Promise<AwsAnswer> {
    const kind = isRead(call) ? 'readUnits' : 'writeUnits';
    const touched = touchedItems(call, (name) => tables.get(name));
    const placed = await Promise.all(touched.map((one) => place(one, kind === 'writeUnits')));
    const isThrottled = ({ table, indexes }: Placed) =>
      [...(table ? [table] : []), ...Object.values(indexes)].find((one) => !throttle.admits(one, kind));
    const refusals = placed.map(isThrottled);
    const admitted = withoutThrottled(call, refusals);
    if (!admitted) return refuseThrottled(operationOf(call), refusals, kind);
    const { answer, consumed } = withCharges(admitted.call, await forward(askForCapacity(admitted.call)));
    const served = placed.filter((_, index) => refusals[index] === undefined);
    for (const [partition, units] of spread(consumed, served)) throttle.charge(partition, kind, units);
    return admitted.complete(answer);
  }

  return {
    addTable: (name, { KeySchema, GlobalSecondaryIndexes = [] }) => {
      const indexes = GlobalSecondaryIndexes.map((one) => [one.IndexName, partitionKeyOf(one.KeySchema)] as const);
      tables.set(name, { partitionKey: partitionKeyOf(KeySchema), indexes: Object.fromEntries(indexes) });
    },
    answer: async (call) =>
      isLimited && (isRead(call) || isWrite(call))
        ? limited(call)
        : withCharges(call, await forward(askForCapacity(call))).answer,
    partitions: throttle.uses,
  };
}

/**
 * The units of each partition key. The engine tells those of a table and of an index: several items share them equally,
 * which is exact for one item, and for items of one partition.
 */
function spread(consumed: readonly Consumption[], placed: readonly Placed[]): (readonly [Partition, number])[] {
  return consumed.flatMap(({ table, units, indexes }, position) => {
    // A failed condition is told for each item.
    const own =
      table === undefined ? placed.slice(position, position + 1) : placed.filter((one) => one.touched.table === table);
    // What is read from an index is all its own.
    const ofTable = own.map((one) => [one.table, (units + readFromIndex(one, indexes)) / own.length] as const);
    const ofIndexes = Object.entries(indexes).flatMap(([index, all]) => {
      const held = own.filter((one) => index in one.indexes);
      return held.map((one) => [one.indexes[index], all / held.length] as const);
    });
    return [...ofTable, ...ofIndexes].flatMap(([partition, each]) => (partition ? [[partition, each] as const] : []));
  });
}

const readFromIndex = ({ touched }: Placed, indexes: Consumption['indexes']): number =>
  touched.index === undefined ? 0 : (indexes[touched.index] ?? 0);

/** Names of the key attributes of a table. */
interface TableKeys {
  readonly partitionKey: string;
  /** The partition key of each index, by the name of the index. */
  readonly indexes: Readonly<Record<string, string>>;
}

type Item = Record<string, AttributeValue>;

/** An item that a call touches; of a query, all items of a partition. */
interface Touched {
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
function touchedItems(call: AwsCall, keysOf: (table: string) => TableKeys | undefined): readonly Touched[] {
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
