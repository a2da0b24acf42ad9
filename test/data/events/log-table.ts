import { GetCommand, PutCommand, QueryCommand, TransactWriteCommand } from '@aws-sdk/lib-dynamodb';
import { HEAD } from '../../../data/events/log-items';
import { conditionFailed, store, transactionCancelled } from '../fixtures/store';

export type Item = Record<string, unknown>;

interface Put {
  readonly Item: Item;
  readonly ReturnValuesOnConditionCheckFailure?: 'ALL_OLD';
}
interface Query {
  readonly IndexName?: string;
  readonly ExpressionAttributeValues: Item;
  readonly ScanIndexForward?: boolean;
  readonly ExclusiveStartKey?: Item;
  readonly Limit: number;
}

const numberOf = (item: Item) => Number(item['number']);

/**
 * The table of the event log in memory: puts, transactions and queries, as several instances use them at once. It takes
 * for granted that only the head is replaced; an engine tells in `append-events.test.ts`, but is slow with hundreds of
 * events.
 */
export function givenLogTable(given: readonly Item[] = []) {
  const items: Item[] = [...given];
  /** What the index does not have yet. */
  const unindexed = new Set<Item>();
  let isIndexLate = false;

  const find = ({ log, number }: Item) => items.find((each) => each['log'] === log && each['number'] === number);
  const refused = ({ Item }: Put) => (numberOf(Item) === HEAD ? undefined : find(Item));
  const returned = ({ ReturnValuesOnConditionCheckFailure }: Put, found: Item) =>
    ReturnValuesOnConditionCheckFailure && found;
  const write = ({ Item }: Put) => {
    const present = find(Item);
    if (present) items.splice(items.indexOf(present), 1);
    items.push(Item);
    if (isIndexLate) unindexed.add(Item);
  };

  store.on(GetCommand).callsFake(({ Key }: { Key: Item }) => Promise.resolve({ Item: find(Key) }));
  store.on(PutCommand).callsFake((put: Put) => {
    const present = refused(put);
    if (present) return Promise.reject(conditionFailed(returned(put, present)));
    write(put);
    return Promise.resolve({});
  });
  store.on(TransactWriteCommand).callsFake(({ TransactItems }: { TransactItems: { Put: Put }[] }) => {
    const reasons = TransactItems.map(({ Put }): [code: string, found?: Item | undefined] => {
      const found = refused(Put);
      return found ? ['ConditionalCheckFailed', returned(Put, found)] : ['None'];
    });
    if (reasons.some(([code]) => code !== 'None')) return Promise.reject(transactionCancelled(...reasons));
    for (const { Put } of TransactItems) write(Put);
    return Promise.resolve({});
  });
  store.on(QueryCommand).callsFake((query: Query) => {
    const { ':log': log, ':channel': channel, ':after': after } = query.ExpressionAttributeValues;
    const { ':from': from = after, ':to': to = query.ExpressionAttributeValues[':last'] } =
      query.ExpressionAttributeValues;
    const isForward = query.ScanIndexForward !== false;
    const start = query.ExclusiveStartKey && numberOf(query.ExclusiveStartKey);
    const found = items
      .filter((item) => (query.IndexName ? item['channel'] === channel && !unindexed.has(item) : item['log'] === log))
      .filter((item) => numberOf(item) >= Number(from) && numberOf(item) <= Number(to))
      .filter((item) => start === undefined || (isForward ? numberOf(item) > start : numberOf(item) < start))
      .sort((one, other) => (numberOf(one) - numberOf(other)) * (isForward ? 1 : -1));
    const Items = found.slice(0, query.Limit);
    // Of a filter.
    const { ':type': type = '', ':id': id = '' } = query.ExpressionAttributeValues as Record<string, string>;
    return Promise.resolve({
      Items: Items.filter(({ message }) => [type, id].every((text) => String(message).includes(text))),
      // DynamoDB does not know whether there is more when a page ends with the limit.
      ...(Items.length === query.Limit && { LastEvaluatedKey: Items.at(-1) }),
    });
  });

  return {
    items,
    numbers: (log: string) =>
      items
        .filter((item) => item['log'] === log && 'message' in item)
        .map(numberOf)
        .sort((one, other) => one - other),
    numbersOf: (channel: string) => items.filter((item) => item['channel'] === channel).map(numberOf),
    /** What is written from now on does not come into the index. */
    delayIndex: () => {
      isIndexLate = true;
    },
    /** Deletes what has expired at a time, Unix seconds. */
    deleteExpired: (at: number) => {
      for (const item of items.filter(({ ttl }) => ttl !== undefined && Number(ttl) <= at))
        items.splice(items.indexOf(item), 1);
    },
  };
}
