import { TransactionConflictException } from '@aws-sdk/client-dynamodb';
import { organisationLog } from '../../../data/events/log-items';
import { PutCommand, QueryCommand, TransactWriteCommand } from '@aws-sdk/lib-dynamodb';
import { acme } from '../../domain/fixtures/samples';
import { conditionFailed, repeated, sent, store, transactionCancelled } from '../fixtures/store';
import { createdAt, job, jobs, later, newInstance, puts, range, transactions } from './instances';
import type { AppendEvents } from './instances';
import { givenLogTable, type Item } from './log-table';

const log = organisationLog(acme);
const indexQueries = () => sent().filter(({ IndexName }) => IndexName !== undefined);

describe('appendEvents', () => {
  test('tries the next number at once when another instance was faster', async () => {
    const table = givenLogTable();
    const [one, other] = [await newInstance(), await newInstance()];
    await one.appendEvents(acme, [job(1)]);
    await other.appendEvents(acme, [job(2)]);
    await expect(one.appendEvents(acme, [job(3)])).resolves.toEqual([3]);
    expect(puts()).toBe(3);
    expect(table.numbers(log)).toEqual([1, 2, 3]);
  });

  test('searches a channel once, however often others are faster', async () => {
    const table = givenLogTable();
    const [one, other] = [await newInstance(), await newInstance()];
    await other.appendEvents(acme, jobs(1, 120));
    later(60);
    await one.appendEvents(acme, [{ ...job(121), createdAt: createdAt + 60 }]);
    await other.appendEvents(acme, [{ ...job(122), createdAt: createdAt + 60 }]);
    await expect(one.appendEvents(acme, [job(200)])).resolves.toEqual([123]);
    expect(indexQueries()).toHaveLength(1);
    expect(table.numbers(log)).toEqual(range(1, 123));
  });

  test.each([
    ['a transaction', transactionCancelled(['TransactionConflict'], ['None']), [job(1), job(2)]],
    ['a put', new TransactionConflictException({ message: 'conflict', $metadata: {} }), [job(1)]],
  ])('repeats %s that ran at the same time as another one', async (_, conflict, events) => {
    const table = givenLogTable();
    const { appendEvents } = await newInstance();
    await appendEvents(acme, [job(9)]);
    store.on(PutCommand).rejectsOnce(conflict).resolves({});
    store.on(TransactWriteCommand).rejectsOnce(conflict).resolves({});
    await expect(appendEvents(acme, events)).resolves.toEqual(events.map((__, index) => 2 + index));
    expect(table.numbers(log)).toEqual([1]);
  });

  test('takes a put that the SDK has repeated after its answer was lost as done', async () => {
    const table = givenLogTable();
    const { appendEvents } = await newInstance();
    await appendEvents(acme, [job(1)]);
    store.on(PutCommand).callsFakeOnce(({ Item }: { Item: Item }) => {
      table.items.push(Item);
      return Promise.reject(repeated(Item));
    });
    await expect(appendEvents(acme, [job(2)])).resolves.toEqual([2]);
    expect(table.numbers(log)).toEqual([1, 2]);
  });

  test('finds what it has written by a call that failed', async () => {
    const table = givenLogTable();
    const { appendEvents } = await newInstance();
    await appendEvents(acme, [job(1)]);
    store.on(PutCommand).callsFakeOnce(({ Item }: { Item: Item }) => {
      table.items.push(Item);
      return Promise.reject(new Error('timeout'));
    });
    await expect(appendEvents(acme, [job(2)])).rejects.toThrow('timeout');
    await expect(appendEvents(acme, [job(2)])).resolves.toEqual([2]);
    expect(table.numbers(log)).toEqual([1, 2]);
  });

  test.each([
    ['another error', new Error('throttled')],
    ['a transaction that is throttled', transactionCancelled(['None'], ['ThrottlingError'])],
  ])('throws %s at once, and reads the end of the log afterwards', async (_, error) => {
    givenLogTable();
    const { appendEvents } = await newInstance();
    store.on(TransactWriteCommand).rejectsOnce(error).resolves({});
    await expect(appendEvents(acme, [job(1)])).rejects.toThrow(error);
    expect(transactions()).toBe(1);
    await expect(appendEvents(acme, [job(1)])).resolves.toEqual([1]);
    expect(store).toHaveReceivedCommandTimes(QueryCommand, 2);
  });

  test.each([1, 3])(
    'lets ten instances append batches of %d to the log of one organisation at the same time',
    async (size) => {
      const table = givenLogTable();
      const lanes: AppendEvents[] = [];
      while (lanes.length < 10) lanes.push(await newInstance());
      const perLane = 20 * size;
      const appended = await Promise.all(
        lanes.map(async ({ appendEvents }, lane) => {
          const numbers: number[] = [];
          for (let first = lane * perLane + 1; first <= (lane + 1) * perLane; first += size)
            numbers.push(...(await appendEvents(acme, jobs(first, first + size - 1))));
          return numbers;
        }),
      );
      expect(appended.flat().sort((one, other) => one - other)).toEqual(range(1, 10 * perLane));
      expect(table.numbers(log)).toEqual(range(1, 10 * perLane));
    },
  );

  test('gives up when others are always faster', async () => {
    givenLogTable();
    const { appendEvents } = await newInstance();
    await appendEvents(acme, [job(1)]);
    store.on(PutCommand).callsFake(({ Item }: { Item: Item }) => {
      return Promise.reject(conditionFailed({ ...Item, message: JSON.stringify(job(3).message) }));
    });
    await expect(appendEvents(acme, [job(2)])).rejects.toThrow('The conditional request failed');
    expect(puts()).toBe(100);
  });
});
