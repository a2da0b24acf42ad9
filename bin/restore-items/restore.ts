import { isDeepStrictEqual } from 'node:util';
import {
  ConditionalCheckFailedException,
  DescribeTableCommand,
  PutItemCommand,
  UpdateItemCommand,
  type AttributeValue,
  type DynamoDBClient,
  BatchGetItemCommand,
  ScanCommand,
} from '@aws-sdk/client-dynamodb';
import { marshall, unmarshall } from '@aws-sdk/util-dynamodb';
import { update } from '../../data/store/expression';
import {
  decideRestoration,
  hasVersions,
  nextVersion,
  restoreMarks,
  type RestorableTable,
  type Restoration,
  type StoredItem,
} from '../../domain/shares/restoration';
import { setTimeout as pause } from 'node:timers/promises';

export type Item = Record<string, AttributeValue>;

/** Maximum of keys of BatchGetItem (DynamoDB API reference). */
const PAGE_ITEMS = 100;
const MAX_READS = 8;
/** Pause before the first retry; it doubles with each further one. */
const FIRST_PAUSE_MS = 100;

/** Yields all items of a table, page by page. */
async function* pages(client: DynamoDBClient, TableName: string): AsyncGenerator<Item[]> {
  let ExclusiveStartKey: Item | undefined;
  do {
    const after = ExclusiveStartKey && { ExclusiveStartKey };
    const { Items, LastEvaluatedKey } = await client.send(
      new ScanCommand({ TableName, Limit: PAGE_ITEMS, ConsistentRead: true, ...after }),
    );
    if (Items?.length) yield Items;
    ExclusiveStartKey = LastEvaluatedKey;
  } while (ExclusiveStartKey);
}

/**
 * Reads the items of a table that have the keys of others.
 * @param keys names of the key attributes
 * @param others at most a page
 * @returns in the order of the others; undefined for one that does not exist
 * @throws Error when DynamoDB keeps leaving out keys
 */
async function readItems(
  client: DynamoDBClient,
  table: string,
  keys: readonly string[],
  others: readonly Item[],
): Promise<(Item | undefined)[]> {
  const primaryKey = (item: Item): Item => Object.fromEntries(keys.map((name) => [name, item[name] as AttributeValue]));
  const found: Item[] = [];
  let left = others.map(primaryKey);
  for (let tries = 0; left.length > 0; tries += 1) {
    if (tries === MAX_READS) throw new Error(`${table} keeps leaving out ${left.length} items`);
    if (tries > 0) await pause(FIRST_PAUSE_MS * 2 ** tries);
    const input = { RequestItems: { [table]: { Keys: left, ConsistentRead: true } } };
    const { Responses, UnprocessedKeys } = await client.send(new BatchGetItemCommand(input));
    found.push(...(Responses?.[table] ?? []));
    left = UnprocessedKeys?.[table]?.Keys ?? [];
  }
  const byKey = new Map(found.map((item) => [JSON.stringify(primaryKey(item)), item]));
  return others.map((other) => byKey.get(JSON.stringify(primaryKey(other))));
}

export interface RestoreOptions {
  /** What the items are. */
  readonly kind: RestorableTable;
  /** Name of the table with the copies. */
  readonly from: string;
  /** Name of the table that is in use. */
  readonly to: string;
  /** Whether the operator asks for an item by its identifier, although it may have ended. */
  readonly isNamed: (id: string) => boolean;
  /** Whether to write, or only to tell. */
  readonly write: boolean;
  /** Time of the restore, ISO 8601. */
  readonly at: string;
  /** The last version that followers of an item heard of; 0 for none. It is asked only for items that do not exist. */
  readonly lastVersion: (id: string) => Promise<number>;
}

/** What was done, or would be done, with an item that is not the same. */
export interface RestoredItem {
  readonly id: string;
  readonly restoration: Exclude<Restoration, { kind: 'same' }>;
}

/** Conditional writes at the same time. */
const AT_ONCE = 25;
/** How often an item is looked at again that changes during its restore. */
const MAX_TRIES = 10;

/**
 * Puts back what was written to items of a table since a copy of it was made, and lost
 * (`domain/shares/restoration.ts`). The table may be in use: each write is conditional on what it was decided on, and
 * is decided again when that has changed.
 * @param tell is called for each item that is not the same, once it is done, in the order of the copy
 * @returns how many were the same
 * @throws Error when the tables have different keys, or an item keeps changing
 */
export async function restoreItems(
  client: DynamoDBClient,
  options: RestoreOptions,
  tell: (item: RestoredItem) => void,
): Promise<number> {
  const { from, to } = options;
  const [keys, others] = [await keyNames(client, from), await keyNames(client, to)];
  if (from === to || !isDeepStrictEqual(keys, others)) throw new Error(`${from} is not a copy of ${to}`);
  let same = 0;
  for await (const copies of pages(client, from)) {
    const found = await readItems(client, to, keys, copies);
    for (let from = 0; from < copies.length; from += AT_ONCE) {
      const some = copies.slice(from, from + AT_ONCE);
      const settled = await Promise.allSettled(
        some.map((copy, index) => restoreItem(client, options, keys, copy, found[from + index])),
      );
      // What was done is told, although another one failed.
      for (const each of settled) {
        if (each.status === 'rejected') continue;
        const { id, restoration } = each.value;
        if (restoration.kind === 'same') same += 1;
        else tell({ id, restoration });
      }
      const failed = settled.find((each) => each.status === 'rejected');
      if (failed) throw failed.reason;
    }
  }
  return same;
}

async function restoreItem(
  client: DynamoDBClient,
  options: RestoreOptions,
  keys: readonly string[],
  copy: Item,
  found: Item | undefined,
): Promise<{ readonly id: string; readonly restoration: Restoration }> {
  const { kind, to, write, at } = options;
  const id = idOf(keys, copy);
  let current = found;
  for (let tries = 1; ; tries += 1) {
    const is = current;
    const differs = (name: string) => !isDeepStrictEqual(copy[name], is?.[name]);
    const items = { copy: unmarshall(copy), current: is && unmarshall(is) };
    const restoration = decideRestoration(kind, { ...items, isNamed: options.isNamed(id), at, differs });
    if (!write || restoration.kind === 'same' || restoration.kind === 'kept') return { id, restoration };
    try {
      if (restoration.kind === 'changed') await putBack(client, options, keys, restoration, copy, current ?? {});
      else await putAgain(client, options, id, restoration.again, copy, current);
      return { id, restoration };
    } catch (error) {
      if (!(error instanceof ConditionalCheckFailedException)) throw error;
      if (tries === MAX_TRIES) throw new Error(`${id} keeps changing`, { cause: error });
    }
    [current] = await readItems(client, to, keys, [copy]);
  }
}

/** What identifies an item to the operator: the identifier in its last key; of a record, which has a number there, both keys. */
function idOf(keys: readonly string[], item: Item): string {
  const values = keys.map((name) => item[name]?.S ?? item[name]?.N ?? '');
  return item[keys.at(-1) ?? '']?.S ?? values.join('/');
}

type Changed = Extract<Restoration, { kind: 'changed' }>;

/** Writes attributes of the copy into an item, if what it was decided on is still so. */
async function putBack(
  client: DynamoDBClient,
  { kind, to, at }: RestoreOptions,
  keys: readonly string[],
  { names, seen }: Changed,
  copy: Item,
  current: Item,
): Promise<void> {
  const values: Record<string, AttributeValue | undefined> = {
    ...Object.fromEntries(names.map((name) => [name, copy[name]])),
    ...raw(restoreMarks(kind, at)),
  };
  const known = Object.fromEntries(seen.map((name) => [`was_${name}`, current[name]]));
  // An update of a missing item would create it.
  const conditions = [`attribute_exists(#${keys[0]})`, ...unchanged(current, seen)];
  await client.send(
    new UpdateItemCommand({
      TableName: to,
      Key: Object.fromEntries(keys.map((name) => [name, copy[name] as AttributeValue])),
      ...update({
        set: values,
        remove: Object.keys(values).filter((name) => !values[name]),
        add: { version: hasVersions(kind) ? { N: '1' } : undefined },
        condition: conditions.join(' AND '),
        values: known,
      }),
    }),
  );
}

/** What is left of an item that was deleted has these, as far as its table has them; one that was put back has others. */
const ofDeleted = ['kind', 'version', 'revokedAt'];

/** Puts an item back that was deleted, if it is still gone. @param rest what is left of it, such as a tombstone */
async function putAgain(
  client: DynamoDBClient,
  { kind, to, at, lastVersion }: RestoreOptions,
  id: string,
  again: StoredItem,
  copy: Item,
  rest: Item | undefined,
): Promise<void> {
  const versions = hasVersions(kind) && [copy, rest].map((item) => item?.['version']?.N);
  const version = versions && { version: nextVersion([...versions, await lastVersion(id)]) };
  const replaced = raw({ ...restoreMarks(kind, at), ...again, ...version });
  const item = Object.entries({ ...copy, ...replaced }).filter(([, value]) => value !== undefined);
  await client.send(
    new PutItemCommand({
      TableName: to,
      Item: Object.fromEntries(item) as Item,
      ...(rest ? stillIs(rest, ofDeleted) : isMissing(copy)),
    }),
  );
}

const isMissing = (copy: Item) => ({
  ConditionExpression: 'attribute_not_exists(#id)',
  ExpressionAttributeNames: { '#id': Object.keys(copy)[0] ?? '' },
});

/** Conditions that attributes are as they were, or still missing; `:was_name` is the value that `name` had. */
const unchanged = (item: Item, names: readonly string[]): string[] =>
  names.map((name) => (item[name] ? `#${name} = :was_${name}` : `attribute_not_exists(#${name})`));

/** The condition of a put that attributes of an item are {@link unchanged}. */
function stillIs(item: Item, names: readonly string[]) {
  const values = names.flatMap((name) => (item[name] ? [[`:was_${name}`, item[name]] as const] : []));
  return {
    ConditionExpression: unchanged(item, names).join(' AND '),
    ExpressionAttributeNames: Object.fromEntries(names.map((name) => [`#${name}`, name])),
    ...(values.length > 0 && { ExpressionAttributeValues: Object.fromEntries(values) }),
  };
}

/** Attributes in DynamoDB's form; undefined for one to remove. */
const raw = (values: StoredItem): Record<string, AttributeValue | undefined> =>
  Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, value === null ? undefined : marshall({ value })['value']]),
  );

async function keyNames(client: DynamoDBClient, TableName: string): Promise<string[]> {
  const { Table } = await client.send(new DescribeTableCommand({ TableName }));
  return (Table?.KeySchema ?? []).map(({ AttributeName }) => String(AttributeName));
}
