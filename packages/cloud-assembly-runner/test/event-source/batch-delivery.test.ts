import { setTimeout as pause } from 'node:timers/promises';
import { TransactWriteItemsCommand } from '@aws-sdk/client-dynamodb';
import { RequestTooLarge, TooManyRequests } from '../../lambda';
import { createDelivery, type DeliveryOptions } from '../../event-source/batch-delivery';
import type { StreamRecord } from '../../event-source/stream-reader';
import type { EventSources } from '../../event-source';
import { givenStreams, type Delivered, type GivenStreams } from './stream-fixture';
import { until } from '../until';
import { dynamoDbPermissions } from '../../dynamodb/permissions';
import { createTableWrites } from '../../event-source/table-writes';

const record = (SequenceNumber: string, ageSeconds = 0): StreamRecord => ({
  eventName: 'INSERT',
  dynamodb: {
    SequenceNumber,
    ApproximateCreationDateTime: Date.now() / 1000 - ageSeconds,
    NewImage: undefined,
    OldImage: undefined,
  },
});
const numbers = (records: readonly StreamRecord[]) => records.map(({ dynamodb }) => dynamodb.SequenceNumber).join('');

/** Delivers records `a`, `b`, … to a function and records calls and discards. */
async function deliver(
  batch: string,
  answer: (numbers: string, call: number) => unknown,
  options: Partial<DeliveryOptions> = {},
) {
  const calls: string[] = [];
  const discarded: string[] = [];
  const done: string[] = [];
  const whole = await createDelivery({
    bisects: false,
    reportsFailures: false,
    maxRetries: 1,
    maxAgeSeconds: -1,
    signal: new AbortController().signal,
    invoke: async (records) => {
      calls.push(numbers(records));
      return Promise.resolve(answer(numbers(records), calls.length));
    },
    discard: (records, reason, count) => discarded.push(`${numbers(records)} ${reason} ${count}`),
    done: ({ dynamodb }) => done.push(dynamodb.SequenceNumber),
    ...options,
  })(Array.from(batch, (one) => record(one)));
  return { calls, discarded, done, whole };
}

const failing = (poison: string) => (given: string) => {
  if (given.includes(poison)) throw new Error('poison');
  return null;
};
/** Reports the first failed record. */
const reporting = (poison: string) => (given: string) => ({
  batchItemFailures: given.includes(poison) ? [{ itemIdentifier: poison }] : [],
});

describe('Delivery of a batch of stream records', () => {
  test('is one invocation when the function succeeds', async () => {
    const happened = await deliver('abc', () => null);
    expect(happened).toEqual({ calls: ['abc'], discarded: [], done: ['c'], whole: true });
  });

  test('gives up a batch that fails for as long as its retries may last, whatever the age of its records', async () => {
    const happened = await deliver('ab', failing('b'), { maxRetries: -1, retriesMs: () => 20, maxAgeSeconds: 900 });
    expect(happened).toMatchObject({ discarded: ['ab RecordAgeExceeded 1'], done: ['b'], whole: true });
    expect(happened.calls).toEqual(['ab']);
    expect((await deliver('ab', () => null, { retriesMs: () => 0 })).discarded).toEqual([]);
  });

  test('retries a failed batch up to the maximum, then discards it and continues', async () => {
    const happened = await deliver('abc', failing('b'), { maxRetries: 2 });
    const discarded = ['abc RetryAttemptsExhausted 3'];
    expect(happened).toEqual({ calls: ['abc', 'abc', 'abc'], discarded, done: ['c'], whole: true });
  });

  test('retries without limit by default', async () => {
    const answer = (_: string, call: number) => {
      if (call < 4) throw new Error('not yet');
    };
    const happened = await deliver('a', answer, { maxRetries: -1 });
    expect(happened).toMatchObject({ calls: ['a', 'a', 'a', 'a'], discarded: [], done: ['a'] });
  });

  test('bisects a batch down to the failing record, without counting retries, in order', async () => {
    const happened = await deliver('abcdefg', failing('c'), { bisects: true });
    expect(happened.calls).toEqual(['abcdefg', 'abcd', 'ab', 'cd', 'c', 'c', 'd', 'efg']);
    expect(happened.discarded).toEqual(['c RetryAttemptsExhausted 5']);
    expect(happened.done).toEqual(['b', 'c', 'd', 'g']);
  });

  test('continues at the first reported record', async () => {
    const answer = (given: string, call: number) => (call === 1 ? reporting('c')(given) : {});
    const happened = await deliver('abcd', answer, { reportsFailures: true });
    expect(happened).toEqual({ calls: ['abcd', 'cd'], discarded: [], done: ['b', 'd'], whole: true });
  });

  test('continues at the earliest of several reported records', async () => {
    const batchItemFailures = [{ itemIdentifier: 'd' }, { itemIdentifier: 'b' }];
    const answer = (_: string, call: number) => (call === 1 ? { batchItemFailures } : null);
    expect((await deliver('abcd', answer, { reportsFailures: true })).calls).toEqual(['abcd', 'bcd']);
  });

  test('ignores reports without ReportBatchItemFailures', async () => {
    expect((await deliver('abcd', reporting('c'))).calls).toEqual(['abcd']);
  });

  test.each([
    ['null', null, ['ab']],
    ['nothing', undefined, ['ab']],
    ['an empty object', {}, ['ab']],
    ['no failures', { batchItemFailures: [] }, ['ab']],
    ['failures that are null', { batchItemFailures: null }, ['ab']],
    ['a failure without a name', { batchItemFailures: [{ itemIdentifier: '' }] }, ['ab', 'ab']],
    ['a failure that is null', { batchItemFailures: [{ itemIdentifier: null }] }, ['ab', 'ab']],
    ['a failure with a misspelt key', { batchItemFailures: [{ id: 'b' }] }, ['ab', 'ab']],
    ['a failure of another batch', { batchItemFailures: [{ itemIdentifier: 'z' }] }, ['ab', 'ab']],
  ])('treats %s as AWS does', async (_title, answer, calls) => {
    expect((await deliver('ab', () => answer, { reportsFailures: true })).calls).toEqual(calls);
  });

  test('bisects reported batches too', async () => {
    const options = { bisects: true, reportsFailures: true };
    const happened = await deliver('abcde', reporting('c'), options);
    expect(happened.discarded).toEqual([expect.stringMatching(/^c RetryAttemptsExhausted /)]);
    expect(happened.done.at(-1)).toBe('e');
    expect(happened.calls.slice(0, 2)).toEqual(['abcde', 'cde']);
  });

  test('splits a batch that is too large for an invocation even without bisecting', async () => {
    const answer = (given: string) => {
      if (given.length > 2) throw new RequestTooLarge(7_000_000);
    };
    const happened = await deliver('abcd', answer, { maxRetries: 0 });
    expect(happened).toMatchObject({ calls: ['abcd', 'ab', 'cd'], discarded: [] });
  });

  test('discards expired records before they are tried', async () => {
    const calls: string[] = [];
    const discarded: string[] = [];
    await createDelivery({
      bisects: false,
      reportsFailures: false,
      maxRetries: -1,
      maxAgeSeconds: 60,
      signal: new AbortController().signal,
      invoke: (records) => Promise.resolve(calls.push(numbers(records))),
      discard: (records, reason, count) => discarded.push(`${numbers(records)} ${reason} ${count}`),
      done: () => undefined,
    })([record('a', 62), record('b', 61), record('c', 10)]);
    expect({ calls, discarded }).toEqual({ calls: ['c'], discarded: ['ab RecordAgeExceeded 0'] });
  });

  test('finishes the running invocation when it is stopped, and reports that not all is done', async () => {
    const stop = new AbortController();
    const answer = () => {
      stop.abort();
      throw new Error('the function was ended too');
    };
    const happened = await deliver('ab', answer, { signal: stop.signal, maxRetries: 0 });
    expect(happened).toEqual({ calls: ['ab'], discarded: [], done: [], whole: false });
  });

  test('does not count a throttle as an attempt', async () => {
    const answer = (_given: string, call: number) => {
      if (call <= 3) throw new TooManyRequests();
      return null;
    };
    const happened = await deliver('ab', answer, { maxRetries: 0, bisects: true });
    expect(happened).toEqual({ calls: ['ab', 'ab', 'ab', 'ab'], discarded: [], done: ['b'], whole: true });
  });
});

const ids = Array.from({ length: 20 }, (_, index) => `item-${index}`);
const idOf = ({ dynamodb }: Delivered) => dynamodb.Keys.id.S;
const versionOf = ({ dynamodb }: Delivered) =>
  Number((dynamodb as { NewImage?: { n?: { N: string } } }).NewImage?.n?.N);

describe('ParallelizationFactor', () => {
  let given: GivenStreams;
  let sources: EventSources | undefined;
  const start = async (factor: number, more: object = {}) =>
    (sources = await given.start({ Follow: { ParallelizationFactor: factor, ...more } }));
  const put = (n: number, changed: readonly string[] = ids) => {
    const items = changed.map((id) => ({ Put: { TableName: 'Things', Item: { id: { S: id }, n: { N: String(n) } } } }));
    return given.client.send(new TransactWriteItemsCommand({ TransactItems: items }));
  };

  beforeEach(async () => {
    given = await givenStreams();
  });
  afterEach(async () => {
    await sources?.stop?.();
    await given.end();
  });

  /** Runs the function for a while, and counts how many batches run at the same time. */
  function countConcurrent() {
    const counts = { running: 0, most: 0 };
    given.answers.set('Follow', async () => {
      counts.most = Math.max(counts.most, ++counts.running);
      await pause(20);
      counts.running -= 1;
    });
    return counts;
  }

  test.each([
    [1, 1],
    [4, 4],
  ])('%d is the number of batches that run at the same time', async (factor, most) => {
    const counts = countConcurrent();
    await put(1);
    await start(factor, { BatchSize: 1 });
    await until(() => given.ids('Follow').length === ids.length);
    expect(counts.most).toBe(most);
  });

  test('keeps the changes of an item in order and in one batch at a time', async () => {
    const running = new Set<string>();
    const overlapping: string[] = [];
    given.answers.set('Follow', async (records) => {
      const items = [...new Set(records.map(idOf))];
      overlapping.push(...items.filter((id) => running.has(id)));
      for (const id of items) running.add(id);
      await pause(5 * (items.length % 3));
      for (const id of items) running.delete(id);
    });
    for (let n = 1; n <= 5; n++) await put(n);
    await start(10, { BatchSize: 3 });
    await until(() => given.ids('Follow').length === 5 * ids.length);
    const received = (given.batches.get('Follow') ?? []).flat();
    for (const id of ids)
      expect(received.filter((record) => idOf(record) === id).map(versionOf)).toEqual([1, 2, 3, 4, 5]);
    expect(overlapping).toEqual([]);
  });

  test('lets the other lanes go on when a batch fails, and its own wait', async () => {
    let isBroken = true;
    given.answers.set('Follow', (records) => {
      if (isBroken && records.some((record) => idOf(record) === 'item-0')) throw new Error('no');
    });
    await start(10, { BatchSize: 1 });
    await put(1);
    await put(2, ['item-0']);
    const received = () => new Set(given.ids('Follow'));
    await until(
      () => received().size > ids.length / 2 && given.ids('Follow').filter((id) => id === 'item-0').length > 2,
    );
    isBroken = false;
    const ofItem = () => (given.batches.get('Follow') ?? []).flat().filter((record) => idOf(record) === 'item-0');
    await until(() => received().size === ids.length && ofItem().map(versionOf).includes(2));
    expect(new Set(ofItem().slice(0, -1).map(versionOf))).toEqual(new Set([1]));
  });

  test('continues after a restart with the first record that was not done', async () => {
    given.answers.set('Follow', ([record]) => {
      if (record && idOf(record) === 'item-3') throw new Error('no');
    });
    await start(10, { BatchSize: 1 });
    await put(1);
    await until(() => new Set(given.ids('Follow')).size > ids.length / 2 && given.ids('Follow').includes('item-3'));
    await sources?.stop?.();
    given.batches.clear();
    given.answers.clear();
    await start(1, { BatchSize: 1 });
    await until(() => given.ids('Follow').length === ids.length - 3);
    expect(given.ids('Follow')).toEqual(ids.slice(3));
  });

  test('outside 1 to 10 is refused', async () => {
    await expect(start(11)).rejects.toThrow('ParallelizationFactor');
  });
});

/** Longer than any test. */
const forever = 3_600_000;

describe('Table writes', () => {
  let status: number;
  const writes = createTableWrites();
  const watched = writes.watch({
    signingName: 'dynamodb',
    permissions: dynamoDbPermissions,
    answer: () => Promise.resolve({ status, headers: {}, body: '' }),
  });
  const call = (operation: string, body: object) =>
    watched.answer({
      service: 'dynamodb',
      method: 'POST',
      path: '/',
      headers: { 'x-amz-target': `DynamoDB_20120810.${operation}` },
      body: Buffer.from(JSON.stringify(body)),
    });
  const signal = new AbortController().signal;
  beforeEach(() => (status = 200));

  test.each<[string, object]>([
    ['PutItem', { TableName: 'Jobs' }],
    ['UpdateItem', { TableName: 'Jobs' }],
    ['DeleteItem', { TableName: 'Jobs' }],
    ['BatchWriteItem', { RequestItems: { Shares: [], Jobs: [] } }],
    ['TransactWriteItems', { TransactItems: [{ Put: { TableName: 'Shares' } }, { Delete: { TableName: 'Jobs' } }] }],
  ])('resume pollers of a table after %s', async (operation, body) => {
    const woken = writes.waitBeyond('Jobs', writes.count('Jobs'), forever, signal);
    await call(operation, body);
    await expect(woken).resolves.toBeUndefined();
  });

  test('are not missed by a poller that starts to wait later', async () => {
    const seen = writes.count('Jobs');
    await call('PutItem', { TableName: 'Jobs' });
    await expect(writes.waitBeyond('Jobs', seen, forever, signal)).resolves.toBeUndefined();
  });

  test("don't include reads, failed writes and writes to other tables", async () => {
    const seen = writes.count('Jobs');
    await call('GetItem', { TableName: 'Jobs' });
    await call('PutItem', { TableName: 'Shares' });
    status = 400;
    await call('PutItem', { TableName: 'Jobs' });
    expect(writes.count('Jobs')).toBe(seen);
  });

  test('time out, and end at once when stopped', async () => {
    await writes.waitBeyond('Jobs', writes.count('Jobs'), 1, signal);
    const stop = new AbortController();
    const stopped = writes.waitBeyond('Jobs', writes.count('Jobs'), forever, stop.signal);
    stop.abort();
    await stopped;
    await expect(writes.waitBeyond('Jobs', writes.count('Jobs'), forever, stop.signal)).resolves.toBeUndefined();
  });
});
