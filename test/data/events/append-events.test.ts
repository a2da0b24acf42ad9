import type { NewEvent } from '../../../data/events/append-events';
import { HEAD, organisationLog } from '../../../data/events/log-items';
import * as commandsModule from '../../../data/store/document-client';
import * as dynamodbModule from '../../../data/store/dynamodb';
import { jobMessage } from '../../../domain/status-event';
import { acme, id, sampleJob } from '../../domain/fixtures/samples';
import { sent, store, transactionCancelled } from '../fixtures/store';

const { GetCommand, QueryCommand, TransactWriteCommand } = commandsModule;

type Item = Record<string, unknown>;
interface Write {
  readonly Update?: { readonly ConditionExpression: string; readonly ExpressionAttributeValues: Item };
  readonly Put?: { readonly Item: Item };
}

const now = new Date('2026-11-27T10:30:00.000Z');
const createdAt = now.getTime() / 1000;
const job = (number: number, sequence = 1): NewEvent => {
  const jobId = id('job', acme, String(number).padStart(26, '0'));
  return {
    channel: { kind: 'job', id: jobId },
    message: jobMessage(sampleJob({ jobId, version: sequence })),
    createdAt,
  };
};

/** A log whose transactions succeed while their condition holds, as another instance may change it meanwhile. */
function givenLog() {
  let head: Item | undefined;
  const items: Item[] = [];
  store.on(GetCommand).callsFake(() => Promise.resolve({ Item: head }));
  store
    .on(QueryCommand)
    .callsFake(({ ExpressionAttributeValues: { ':log': log } }: { ExpressionAttributeValues: Item }) => {
      const Items = items.filter((item) => item['log'] === log).toReversed();
      return Promise.resolve({ Items });
    });
  store.on(TransactWriteCommand).callsFake(({ TransactItems }: { TransactItems: Write[] }) => {
    const [{ Update } = {}, ...puts] = TransactItems;
    const { ':last': known, ':next': last, ':recent': recent } = Update?.ExpressionAttributeValues ?? {};
    if (known !== head?.['last']) {
      const failed = transactionCancelled(
        ['ConditionalCheckFailed', head ?? {}],
        ...puts.map(() => ['None'] as [string]),
      );
      return Promise.reject(failed);
    }
    head = { last, recent };
    items.push(...puts.map(({ Put }) => Put?.Item ?? {}));
    return Promise.resolve({});
  });
  return {
    numbers: (log: string) => items.filter((item) => item['log'] === log).map(({ number }) => number),
    items,
  };
}

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
const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => from + index);

beforeEach(() => {
  process.env['EVENT_RETENTION_DAYS'] = '7';
  process.env['FLIGHT_RETENTION_DAYS'] = '90';
  jest.useFakeTimers({ now, doNotFake: ['nextTick', 'setImmediate', 'setTimeout'] });
});
afterEach(() => {
  jest.useRealTimers();
});

describe('appendEvents', () => {
  test('numbers the events of an organisation 1, 2, 3 …, in one transaction for a batch', async () => {
    const log = givenLog();
    const { appendEvents } = await newInstance();
    await expect(appendEvents(acme, [job(1), job(2), job(1, 2)])).resolves.toEqual([1, 2, 3]);
    await expect(appendEvents(acme, [job(3)])).resolves.toEqual([4]);
    expect(transactions()).toBe(2);
    expect(store).toHaveReceivedCommandTimes(GetCommand, 1);
    expect(log.numbers(organisationLog(acme))).toEqual([1, 2, 3, 4]);
    expect(log.numbers(`job#${job(1).channel.id}`)).toEqual([1, 3]);
  });

  test('stores each event in both lists, in that of a job as long as its track, with the head in the same transaction', async () => {
    givenLog();
    const { appendEvents } = await newInstance();
    await appendEvents(acme, [job(1)]);
    const item = {
      ...{ number: 1, channel: `job#${job(1).channel.id}` },
      message: JSON.stringify(job(1).message),
    };
    const Key = { log: organisationLog(acme), number: HEAD };
    expect(sent().at(-1)).toMatchObject({
      TransactItems: [
        { Update: { TableName: 'events', Key, ConditionExpression: 'attribute_not_exists(#last)' } },
        { Put: { TableName: 'events', Item: { log: organisationLog(acme), ...item, ttl: createdAt + 7 * 86_400 } } },
        { Put: { TableName: 'events', Item: { log: item.channel, ...item, ttl: createdAt + 90 * 86_400 } } },
      ],
    });
  });

  test('continues after what another instance has appended', async () => {
    const log = givenLog();
    const [one, other] = [await newInstance(), await newInstance()];
    await one.appendEvents(acme, [job(1)]);
    await other.appendEvents(acme, [job(2)]);
    await expect(one.appendEvents(acme, [job(3)])).resolves.toEqual([3]);
    expect(log.numbers(organisationLog(acme))).toEqual([1, 2, 3]);
  });

  test('gives events that come twice their number again, without a write', async () => {
    const log = givenLog();
    const [one, other] = [await newInstance(), await newInstance()];
    await one.appendEvents(acme, [job(1), job(2)]);
    const before = transactions();
    await expect(one.appendEvents(acme, [job(1), job(2)])).resolves.toEqual([1, 2]);
    await expect(other.appendEvents(acme, [job(2), job(3)])).resolves.toEqual([2, 3]);
    expect(transactions()).toBe(before + 1);
    expect(log.numbers(organisationLog(acme))).toEqual([1, 2, 3]);
  });

  test('finds an event that comes again after more others than the recent end holds', async () => {
    const log = givenLog();
    const { appendEvents } = await newInstance();
    await appendEvents(acme, [job(1)]);
    jest.setSystemTime(now.getTime() + 10_000);
    const later = range(2, 120).map((number) => ({ ...job(number), createdAt: createdAt + 10 }));
    await appendEvents(acme, later);
    await expect(appendEvents(acme, [job(1), job(1, 2)])).resolves.toEqual([1, 121]);
    expect(log.numbers(`job#${job(1).channel.id}`)).toEqual([1, 121]);
  });

  test('searches for no event that is newer than the recent end', async () => {
    givenLog();
    const { appendEvents } = await newInstance();
    await appendEvents(
      acme,
      range(1, 120).map((number) => job(number)),
    );
    await appendEvents(acme, [{ ...job(200), createdAt: createdAt + 60 }]);
    expect(store).not.toHaveReceivedCommand(QueryCommand);
  });

  test('appends 49 events at most in a transaction, as DynamoDB allows 100 items', async () => {
    const log = givenLog();
    const { appendEvents } = await newInstance();
    await expect(
      appendEvents(
        acme,
        range(1, 100).map((number) => job(number)),
      ),
    ).resolves.toEqual(range(1, 100));
    const sizes = store.commandCalls(TransactWriteCommand).map(({ args: [{ input }] }) => input.TransactItems?.length);
    expect(sizes).toEqual([99, 99, 5]);
    expect(log.numbers(organisationLog(acme))).toEqual(range(1, 100));
  });

  test('repeats a transaction that ran at the same time as another one', async () => {
    givenLog();
    const { appendEvents } = await newInstance();
    const conflict = transactionCancelled(['TransactionConflict'], ['None'], ['None']);
    store.on(TransactWriteCommand).rejectsOnce(conflict).resolves({});
    await expect(appendEvents(acme, [job(1)])).resolves.toEqual([1]);
    expect(transactions()).toBe(2);
    expect(store).toHaveReceivedCommandTimes(GetCommand, 2);
  });

  test.each([
    ['another error', new Error('throttled')],
    ['a transaction that is throttled', transactionCancelled(['None'], ['ThrottlingError'], ['None'])],
  ])('throws %s at once, and knows the present head afterwards', async (_, error) => {
    givenLog();
    const { appendEvents } = await newInstance();
    store.on(TransactWriteCommand).rejectsOnce(error).resolves({});
    await expect(appendEvents(acme, [job(1)])).rejects.toThrow(error);
    expect(transactions()).toBe(1);
    await expect(appendEvents(acme, [job(1)])).resolves.toEqual([1]);
    expect(store).toHaveReceivedCommandTimes(GetCommand, 2);
  });

  test('lets ten instances append to the log of one organisation at the same time', async () => {
    const log = givenLog();
    const lanes: AppendEvents[] = [];
    while (lanes.length < 10) lanes.push(await newInstance());
    const perLane = 20;
    const appended = await Promise.all(
      lanes.map(async ({ appendEvents }, lane) => {
        const numbers: number[] = [];
        for (const batch of range(1, perLane))
          numbers.push(...(await appendEvents(acme, [job(lane * perLane + batch)])));
        return numbers;
      }),
    );
    expect(appended.flat().sort((one, other) => one - other)).toEqual(range(1, 10 * perLane));
    expect(log.numbers(organisationLog(acme))).toEqual(range(1, 10 * perLane));
  });

  test('gives up when others are always faster', async () => {
    givenLog();
    const { appendEvents } = await newInstance();
    store
      .on(TransactWriteCommand)
      .rejects(transactionCancelled(['ConditionalCheckFailed', { last: 7 }], ['None'], ['None']));
    await expect(appendEvents(acme, [job(1)])).rejects.toThrow('Transaction cancelled');
    expect(transactions()).toBe(100);
  });

  test('keeps the head under one write unit', async () => {
    givenLog();
    const { appendEvents } = await newInstance();
    await appendEvents(
      acme,
      range(1, 120).map((number) => job(number)),
    );
    const { Update } = (sent().at(-1)?.['TransactItems'] as Write[])[0] ?? {};
    const recent = Update?.ExpressionAttributeValues[':recent'] as Uint8Array;
    // Names, keys and numbers of the item take less than 100 bytes.
    expect(recent.length).toBeLessThanOrEqual(1024 - 100);
  });
});
