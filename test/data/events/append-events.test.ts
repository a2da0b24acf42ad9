import { TransactionConflictException } from '@aws-sdk/client-dynamodb';
import { HEAD, organisationLog } from '../../../data/events/log-items';
import { missedEvents } from '../../../data/events/missed-events';
import type { NewEvent } from '../../../data/events/write-events';
import * as commandsModule from '../../../data/store/document-client';
import * as dynamodbModule from '../../../data/store/dynamodb';
import { jobMessage } from '../../../domain/status-event';
import { acme, id, sampleJob } from '../../domain/fixtures/samples';
import { conditionFailed, repeated, sent, store, transactionCancelled } from '../fixtures/store';
import { givenLogTable, type Item } from './log-table';

const { GetCommand, PutCommand, QueryCommand, TransactWriteCommand } = commandsModule;

const now = new Date('2026-11-27T10:30:00.000Z');
const createdAt = now.getTime() / 1000;
const DAY_S = 86_400;
const log = organisationLog(acme);
const job = (number: number, sequence = 1): NewEvent => {
  const jobId = id('job', acme, String(number).padStart(26, '0'));
  return {
    channel: { kind: 'job', id: jobId },
    message: jobMessage(sampleJob({ jobId, version: sequence })),
    createdAt,
  };
};
const channelOf = (event: NewEvent) => `job#${event.channel.id}`;
const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => from + index);
const jobs = (from: number, to: number) => range(from, to).map((number) => job(number));

type AppendEvents = typeof import('../../../data/events/append-events');

/** The module as a new instance of the function loads it, without what another instance remembers. */
async function newInstance(): Promise<AppendEvents> {
  const loaded: AppendEvents[] = [];
  await jest.isolateModulesAsync(async () => {
    // The client that the tests mock, and its commands.
    jest.doMock('../../../data/store/dynamodb', () => dynamodbModule);
    jest.doMock('../../../data/store/document-client', () => commandsModule);
    loaded.push(await import('../../../data/events/append-events'));
  });
  const [module] = loaded;
  if (!module) throw new Error('the module was not loaded');
  return module;
}

const transactions = () => store.commandCalls(TransactWriteCommand).length;
const puts = () => store.commandCalls(PutCommand).length;
const indexQueries = () => sent().filter(({ IndexName }) => IndexName !== undefined);
const later = (seconds: number) => jest.setSystemTime(Date.now() + seconds * 1000);

beforeEach(() => {
  process.env['EVENT_RETENTION_DAYS'] = '7';
  process.env['FLIGHT_RETENTION_DAYS'] = '90';
  jest.useFakeTimers({ now, doNotFake: ['nextTick', 'setImmediate', 'setTimeout'] });
});
afterEach(() => {
  jest.useRealTimers();
});

describe('appendEvents', () => {
  test('numbers the events of an organisation 1, 2, 3 …, a batch in one transaction and a single one by a put', async () => {
    const table = givenLogTable();
    const { appendEvents } = await newInstance();
    await expect(appendEvents(acme, [job(1), job(2), job(1, 2)])).resolves.toEqual([1, 2, 3]);
    await expect(appendEvents(acme, [job(3)])).resolves.toEqual([4]);
    expect([transactions(), puts()]).toEqual([1, 1]);
    // Only the first batch of an instance reads.
    expect(store).toHaveReceivedCommandTimes(QueryCommand, 1);
    expect(table.numbers(log)).toEqual([1, 2, 3, 4]);
    expect(table.numbersOf(channelOf(job(1)))).toEqual([1, 3]);
  });

  test('stores an event once, kept for its organisation and for its channel for as long as the track', async () => {
    givenLogTable();
    const { appendEvents } = await newInstance();
    await appendEvents(acme, [job(1)]);
    await appendEvents(acme, [job(2)]);
    expect(sent().at(-1)).toMatchObject({
      TableName: 'events',
      Item: {
        ...{ log, number: 2, channel: channelOf(job(2)), message: JSON.stringify(job(2).message) },
        ...{ loggedAt: createdAt, keptUntil: createdAt + 7 * DAY_S, ttl: createdAt + 90 * DAY_S },
      },
      ConditionExpression: 'attribute_not_exists(#log)',
    });
  });

  test('continues after what another instance has appended', async () => {
    const table = givenLogTable();
    const [one, other] = [await newInstance(), await newInstance()];
    await one.appendEvents(acme, [job(1)]);
    await other.appendEvents(acme, jobs(2, 40));
    await expect(one.appendEvents(acme, [job(41)])).resolves.toEqual([41]);
    expect(table.numbers(log)).toEqual(range(1, 41));
  });

  test('gives events that come twice their number again, without a write', async () => {
    const table = givenLogTable();
    const [one, other] = [await newInstance(), await newInstance()];
    await one.appendEvents(acme, [job(1), job(2)]);
    await expect(one.appendEvents(acme, [job(1), job(2)])).resolves.toEqual([1, 2]);
    expect([transactions(), puts()]).toEqual([1, 0]);
    await expect(other.appendEvents(acme, [job(2), job(3)])).resolves.toEqual([2, 3]);
    expect([transactions(), puts()]).toEqual([1, 1]);
    expect(table.numbers(log)).toEqual([1, 2, 3]);
  });

  test('finds an event that another instance has appended since this one has looked', async () => {
    const table = givenLogTable();
    const [one, other] = [await newInstance(), await newInstance()];
    await one.appendEvents(acme, [job(1)]);
    await other.appendEvents(acme, jobs(2, 8));
    await expect(one.appendEvents(acme, [job(5), job(9)])).resolves.toEqual([5, 9]);
    expect(table.numbers(log)).toEqual(range(1, 9));
  });

  test.each([
    ['in the same instance', false],
    ['in another instance', true],
  ])('finds an event that comes again after more others than the recent end holds, %s', async (_, isOther) => {
    const table = givenLogTable();
    const one = await newInstance();
    await one.appendEvents(acme, [job(1)]);
    later(60);
    await one.appendEvents(
      acme,
      jobs(2, 250).map((each) => ({ ...each, createdAt: createdAt + 60 })),
    );
    later(60);
    const { appendEvents } = isOther ? await newInstance() : one;
    await expect(appendEvents(acme, [job(1), job(1, 2)])).resolves.toEqual([1, 251]);
    expect(table.numbersOf(channelOf(job(1)))).toEqual([1, 251]);
  });

  test.each([
    ['in the same instance', false],
    ['in another instance', true],
  ])('finds an event that the index does not have yet after hundreds of others, %s', async (_, isOther) => {
    const table = givenLogTable();
    table.delayIndex();
    const one = await newInstance();
    await one.appendEvents(acme, [job(1)]);
    later(5);
    await one.appendEvents(acme, jobs(2, 350));
    const { appendEvents } = isOther ? await newInstance() : one;
    await expect(appendEvents(acme, [job(1)])).resolves.toEqual([1]);
    expect(table.numbers(log)).toEqual(range(1, 350));
  });

  test('searches for no event that is newer than the recent end', async () => {
    givenLogTable();
    const { appendEvents } = await newInstance();
    await appendEvents(acme, jobs(1, 120));
    later(60);
    await appendEvents(acme, [{ ...job(200), createdAt: createdAt + 60 }]);
    expect(indexQueries()).toEqual([]);
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

  test('appends 99 events at most in a transaction, as DynamoDB allows 100 items', async () => {
    const table = givenLogTable();
    const { appendEvents } = await newInstance();
    await expect(appendEvents(acme, jobs(1, 200))).resolves.toEqual(range(1, 200));
    const sizes = store.commandCalls(TransactWriteCommand).map(({ args: [{ input }] }) => input.TransactItems?.length);
    expect(sizes).toEqual([100, 99, 2]);
    expect(table.numbers(log)).toEqual(range(1, 200));
  });

  test('writes the head with the event that begins a thousand only', async () => {
    const table = givenLogTable();
    const { appendEvents } = await newInstance();
    await appendEvents(acme, jobs(1, 1000));
    const head = () => table.items.find(({ number }) => number === HEAD)?.['last'];
    expect(head()).toBe(99);
    await appendEvents(acme, [job(1001)]);
    expect(head()).toBe(1001);
    await appendEvents(acme, [job(1002)]);
    expect(head()).toBe(1001);
  });

  test('goes on with later numbers after all events of an idle organisation were deleted', async () => {
    const table = givenLogTable();
    await (await newInstance()).appendEvents(acme, jobs(1, 1005));
    later(91 * DAY_S);
    table.deleteExpired(Date.now() / 1000);
    expect(table.numbers(log)).toEqual([]);
    const { appendEvents } = await newInstance();
    await expect(appendEvents(acme, [job(1, 2)])).resolves.toEqual([2001]);
    await expect(appendEvents(acme, [job(1, 3)])).resolves.toEqual([2002]);
    later(91 * DAY_S);
    table.deleteExpired(Date.now() / 1000);
    await expect((await newInstance()).appendEvents(acme, [job(1, 4)])).resolves.toEqual([3001]);
  });

  test('goes on with the next number after an organisation was idle for longer than its events are kept', async () => {
    const table = givenLogTable();
    await (await newInstance()).appendEvents(acme, jobs(1, 5));
    later(8 * DAY_S);
    table.deleteExpired(Date.now() / 1000);
    await expect((await newInstance()).appendEvents(acme, [job(6)])).resolves.toEqual([6]);
    await expect(missedEvents(acme, job(6).channel, 5, 10, new Date())).resolves.toMatchObject([{ number: 6 }]);
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
      return Promise.reject(conditionFailed({ ...Item, channel: channelOf(job(3)) }));
    });
    await expect(appendEvents(acme, [job(2)])).rejects.toThrow('The conditional request failed');
    expect(puts()).toBe(100);
    expect(store).not.toHaveReceivedCommand(GetCommand);
  });
});
