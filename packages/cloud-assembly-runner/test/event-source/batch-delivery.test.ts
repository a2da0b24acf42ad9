import { RequestTooLarge, TooManyRequests } from '../../lambda';
import { createDelivery, type DeliveryOptions } from '../../event-source/batch-delivery';
import type { StreamRecord } from '../../event-source/stream-reader';

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
