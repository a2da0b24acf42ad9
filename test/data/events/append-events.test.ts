import {
  QueryCommand,
  TransactWriteCommand,
  PutCommand,
  type PutCommandOutput,
  type TransactWriteCommandOutput,
} from '@aws-sdk/lib-dynamodb';
import { HEAD, organisationLog } from '../../../data/events/log-items';
import type { NewEvent } from '../../../data/events/write-events';
import { acme, id, rival } from '../../domain/fixtures/samples';
import { storeOnEngine } from '../fixtures/engine';
import { sent, store } from '../fixtures/store';
import {
  channelOf,
  command,
  createdAt,
  DAY_S,
  job,
  jobs,
  later,
  newInstance,
  puts,
  range,
  transactions,
  type AppendEvents,
} from './instances';
import { givenLogTable } from './log-table';
import { missedEvents } from '../../../data/events/missed-events';
import { readEvents } from '../../../data/events/read-events';

// For a few events; logs of hundreds are in memory.
const engine = storeOnEngine('events');

const log = organisationLog(acme);
const indexQueries = () => sent().filter(({ IndexName }) => IndexName !== undefined);

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
    const { appendEvents } = await newInstance();
    await appendEvents(acme, [job(1)]);
    await appendEvents(acme, [job(2)]);
    expect(await engine.all('events')).toEqual([
      ...[1, 2].map((number) => ({
        log,
        number,
        channel: channelOf(job(number)),
        message: JSON.stringify(job(number).message),
        loggedAt: createdAt,
        keptUntil: createdAt + 7 * DAY_S,
        ttl: createdAt + 90 * DAY_S,
      })),
      { log, number: HEAD, last: 1 },
    ]);
  });

  test('leaves what another instance has stored under a number, by a put and by a transaction', async () => {
    const [one, other] = [await newInstance(), await newInstance()];
    await one.appendEvents(acme, [job(1)]);
    await other.appendEvents(acme, [job(2)]);
    await expect(one.appendEvents(acme, [job(3), job(4)])).resolves.toEqual([3, 4]);
    await expect(other.appendEvents(acme, [job(5)])).resolves.toEqual([5]);
    const channels = (await engine.all('events')).map(({ channel }) => channel);
    expect(channels).toEqual([...jobs(1, 5).map(channelOf), undefined]);
  });

  test('continues after what another instance has appended', async () => {
    const table = givenLogTable();
    const [one, other] = [await newInstance(), await newInstance()];
    await one.appendEvents(acme, [job(1)]);
    await other.appendEvents(acme, jobs(2, 500));
    await expect(one.appendEvents(acme, [job(501)])).resolves.toEqual([501]);
    expect(table.numbers(log)).toEqual(range(1, 501));
    // It loses twice: before it looks how far the log is, and meanwhile.
    expect(puts()).toBe(3);
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

  describe('of a command', () => {
    /** An instance that has logged hundreds of events, a minute later that of a command, and hundreds another minute later. */
    async function givenOlder(event: NewEvent): Promise<AppendEvents> {
      const instance = await newInstance();
      await instance.appendEvents(acme, jobs(1001, 1400));
      for (const events of [[event], jobs(1, 250)]) {
        later(60);
        const at = Date.now() / 1000;
        await instance.appendEvents(
          acme,
          events.map((each) => ({ ...each, createdAt: at })),
        );
      }
      later(60);
      store.resetHistory();
      return instance;
    }
    const again = (event: NewEvent) => ({ ...event, createdAt: createdAt + 60 });

    test('finds one that comes again after more others than the recent end holds, by one search back to its time', async () => {
      const table = givenLogTable();
      const { appendEvents } = await givenOlder(command(1));
      const events = [command(1), command(2), command(1, { version: 2 })].map(again);
      await expect(appendEvents(acme, events)).resolves.toEqual([401, 652, 653]);
      const searched = [101, 101, 202].map((Limit) => ({ Limit, ConsistentRead: false }));
      expect(sent().filter(({ Limit }) => Limit !== undefined)).toMatchObject(searched);
      expect(indexQueries()).toEqual([]);
      expect(table.numbers(log)).toEqual(range(1, 653));
    });

    test('finds one that an earlier version has logged on the channel of its group', async () => {
      const table = givenLogTable();
      const { appendEvents } = await givenOlder({ ...command(1), channel: { kind: 'group', id: id('group') } });
      await expect(appendEvents(acme, [again(command(1))])).resolves.toEqual([401]);
      expect(table.numbersOf(`group#${id('group')}`)).toEqual([401]);
    });

    test('finds none that is before thousands of others, and appends it again', async () => {
      const message = (number: number) => JSON.stringify((number === 1 ? command(1) : job(number)).message);
      const item = (number: number) => ({ log, number, message: message(number), loggedAt: createdAt, ttl: createdAt });
      givenLogTable(range(1, 8000).map(item));
      later(60);
      const { appendEvents } = await newInstance();
      await expect(appendEvents(acme, [command(1)])).resolves.toEqual([8001]);
    });
  });

  test('searches for no event that is newer than the recent end', async () => {
    givenLogTable();
    const { appendEvents } = await newInstance();
    await appendEvents(acme, jobs(1, 120));
    later(60);
    await appendEvents(acme, [{ ...job(200), createdAt: createdAt + 60 }]);
    expect(indexQueries()).toEqual([]);
  });

  test('appends 99 events at most in a transaction, as DynamoDB allows 100 items', async () => {
    const table = givenLogTable();
    const { appendEvents } = await newInstance();
    await expect(appendEvents(acme, jobs(1, 200))).resolves.toEqual(range(1, 200));
    const sizes = store.commandCalls(TransactWriteCommand).map(({ args: [{ input }] }) => input.TransactItems?.length);
    expect(sizes).toEqual([100, 99, 2]);
    expect(table.numbers(log)).toEqual(range(1, 200));
  });
});

async function unitsOf(name: 'PutCommand' | 'TransactWriteCommand', input: object): Promise<number | undefined> {
  const answer = await engine.answers(name)({ ...input, ReturnConsumedCapacity: 'TOTAL' });
  const { ConsumedCapacity } = answer as PutCommandOutput | TransactWriteCommandOutput;
  return [ConsumedCapacity].flat()[0]?.CapacityUnits;
}

describe('Write units', () => {
  test.each([
    ['two for a change on its own, its index included', acme, job(2), 2],
    ['one for that of a command, which is in no index', rival, command(2), 1],
  ])('are %s', async (_, organisation, change, units) => {
    givenLogTable();
    const { appendEvents } = await newInstance();
    await appendEvents(organisation, [job(1)]);
    await appendEvents(organisation, [change]);
    const [put] = store.commandCalls(PutCommand);
    if (!put) throw new Error('the event was not put');
    expect(await unitsOf('PutCommand', put.args[0].input)).toBe(units);
  });

  test.each([
    ['three for a change of a batch', acme, job, 3],
    ['two for that of a command', rival, command, 2],
  ])('are %s', async (_, organisation, changeOf, units) => {
    givenLogTable();
    const { appendEvents } = await newInstance();
    await appendEvents(organisation, jobs(1, 9));
    await appendEvents(
      organisation,
      range(10, 19).map((number) => changeOf(number)),
    );
    const transaction = store.commandCalls(TransactWriteCommand).at(-1);
    if (!transaction) throw new Error('the events were not written together');
    expect(await unitsOf('TransactWriteCommand', transaction.args[0].input)).toBe(units * 10);
  });
});

describe('The log of an idle organisation', () => {
  const log = organisationLog(acme);

  test('has a head, which is written with the event that begins a thousand only', async () => {
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

  test('goes on with later numbers after all its events were deleted', async () => {
    const table = givenLogTable();
    await (await newInstance()).appendEvents(acme, jobs(1, 1005));
    later(91 * DAY_S);
    table.deleteExpired(Date.now() / 1000);
    expect(table.numbers(log)).toEqual([]);
    await expect(readEvents(acme, 2000, 50, new Date())).resolves.toEqual({ events: [], last: 2000 });
    const { appendEvents } = await newInstance();
    await expect(appendEvents(acme, [job(1, 2)])).resolves.toEqual([2001]);
    await expect(appendEvents(acme, [job(1, 3)])).resolves.toEqual([2002]);
    await expect(readEvents(acme, 2000, 50, new Date())).resolves.toMatchObject({ last: 2002 });
    // What was logged between may have been deleted.
    await expect(readEvents(acme, 1005, 50, new Date())).resolves.toBeUndefined();
    later(91 * DAY_S);
    table.deleteExpired(Date.now() / 1000);
    await expect((await newInstance()).appendEvents(acme, [job(1, 4)])).resolves.toEqual([3001]);
  });

  test('goes on with the next number after its events are no longer kept', async () => {
    const table = givenLogTable();
    await (await newInstance()).appendEvents(acme, jobs(1, 5));
    later(8 * DAY_S);
    table.deleteExpired(Date.now() / 1000);
    await expect((await newInstance()).appendEvents(acme, [job(6)])).resolves.toEqual([6]);
    await expect(missedEvents(acme, job(6).channel, 5, 10, new Date())).resolves.toMatchObject([{ number: 6 }]);
  });
});
