import { setImmediate as turn, setTimeout as pause } from 'node:timers/promises';
import { SendMessageCommand } from '@aws-sdk/client-sqs';
import { allSettled, memoise, withConcurrency } from '../../../lambdas/runtime/concurrency';
import { $ZodError } from 'zod/v4/core';
import { itemIdentity, UnreadableRecord, type StreamRecord } from '../../../data/channels/stream-records';
import { processInOrder } from '../../../lambdas/runtime/process-records-in-order';
import { record } from '../../data/fixtures/stream-record';
import { queue } from '../fixtures/telemetry';
import { fc, propertyRuns } from '../../property-runs';

describe('Concurrency', () => {
  /** A function to run for each element, which ends when it is released. */
  function controlledRun() {
    const releases: (() => void)[] = [];
    let maxConcurrent = 0;
    let finished = 0;
    const run = async () => {
      maxConcurrent = Math.max(maxConcurrent, releases.length - finished + 1);
      await new Promise<void>((resolve) => releases.push(resolve));
      finished += 1;
    };
    const finish = async (count: number) => {
      for (let next = 0; next < count; next++) {
        while (releases.length <= next) await turn();
        releases[next]?.();
        await turn();
      }
    };
    return { run: run, finish, maxConcurrent: () => maxConcurrent, started: () => releases.length };
  }

  const list = (length: number) => Array.from({ length }, (_, index) => index);

  test('processes all elements, at most 50 at the same time over all lists', async () => {
    const { run: run, finish, maxConcurrent: maxConcurrent, started: started } = controlledRun();
    const lists = [withConcurrency(list(40), run), withConcurrency(list(40), run), withConcurrency(list(3), run)];
    await turn();
    expect(started()).toBe(50);
    await finish(83);
    await Promise.all(lists);
    expect([started(), maxConcurrent()]).toEqual([83, 50]);
  });

  test('processes the other elements when one fails, and throws its error after all of them', async () => {
    const finished: number[] = [];
    const run = async (element: number) => {
      await turn();
      if (element === 3) throw new Error('broken');
      finished.push(element);
    };
    await expect(withConcurrency(list(120), run)).rejects.toThrow('broken');
    expect(finished).toHaveLength(119);
  });

  test('releases the permit of an element that fails', async () => {
    const fail = () => Promise.reject(new Error('broken'));
    await expect(withConcurrency(list(200), fail)).rejects.toThrow('broken');
    const { run: run, finish, started: started } = controlledRun();
    const after = withConcurrency(list(50), run);
    await turn();
    expect(started()).toBe(50);
    await finish(50);
    await after;
  });

  test('allSettled throws the first error after all promises have settled', async () => {
    let isDone = false;
    const slow = turn().then(() => {
      isDone = true;
    });
    await expect(allSettled([slow, Promise.reject(new Error('broken'))])).rejects.toThrow('broken');
    expect(isDone).toBe(true);
  });

  describe('memoise', () => {
    test('reads once per key for concurrent callers', async () => {
      const read = jest.fn((input: { id: string }) => Promise.resolve(input.id.toUpperCase()));
      const memoised = memoise(read, ({ id }) => id);
      await expect(Promise.all(['a', 'b', 'a', 'a'].map((id) => memoised({ id })))).resolves.toEqual([
        'A',
        'B',
        'A',
        'A',
      ]);
      expect(read).toHaveBeenCalledTimes(2);
    });

    test('fails for every caller when the read fails', async () => {
      const memoised = memoise(
        () => Promise.reject(new Error('throttled')),
        (id: string) => id,
      );
      await expect(memoised('a')).rejects.toThrow('throttled');
      await expect(memoised('a')).rejects.toThrow('throttled');
    });
  });
});

describe('Records in order', () => {
  const recordOf = (item: string, number: number) => record({ id: item }, undefined, undefined, number);
  const numberOf = ({ dynamodb }: StreamRecord) => Number(dynamodb?.SequenceNumber);

  /** Processes records, each of the item named by a letter, for `durations` ms each; those whose number is in `failing` fail. */
  async function run(items: string, failing: readonly number[] = [], durations: readonly number[] = []) {
    const done: number[] = [];
    const failures: number[] = [];
    const processRecord = async (each: StreamRecord) => {
      await pause(durations[numberOf(each)] ?? 0);
      if (failing.includes(numberOf(each))) throw new Error('broken');
      done.push(numberOf(each));
    };
    const records = items.split('').map(recordOf);
    const answer = await processInOrder(records, processRecord, (each) => failures.push(numberOf(each)));
    return { done, failures, failedAt: answer.batchItemFailures.map(({ itemIdentifier }) => Number(itemIdentifier)) };
  }

  test('returns no failures for an empty batch', async () => {
    await expect(run('')).resolves.toEqual({ done: [], failures: [], failedAt: [] });
  });

  test('processes records of one item one after the other, those of other items meanwhile', async () => {
    const done: number[] = [];
    let release = (): void => undefined;
    const isOtherDone = new Promise<void>((resolve) => (release = resolve));
    await processInOrder(
      ['a', 'a', 'b'].map(recordOf),
      async (each) => {
        if (numberOf(each) === 0) await isOtherDone;
        done.push(numberOf(each));
        if (numberOf(each) === 2) release();
      },
      () => undefined,
    );
    expect(done).toEqual([2, 0, 1]);
  });

  test('returns the first failed record of the batch, whichever failed earlier in time', async () => {
    const failures: number[] = [];
    let release = (): void => undefined;
    const hasLaterFailed = new Promise<void>((resolve) => (release = resolve));
    const { batchItemFailures } = await processInOrder(
      ['a', 'b', 'c'].map(recordOf),
      async (each) => {
        if (numberOf(each) === 1) await hasLaterFailed;
        if (numberOf(each) > 0) throw new Error('broken');
      },
      (each) => {
        failures.push(numberOf(each));
        release();
      },
    );
    expect(failures).toEqual([2, 1]);
    expect(batchItemFailures).toEqual([{ itemIdentifier: '1' }]);
  });

  test('processes no record of an item behind a failed one, but the records of others before it', async () => {
    const { done, failedAt } = await run('abab', [1], [0, 0, 20]);
    expect(failedAt).toEqual([1]);
    expect(done).not.toContain(3);
    expect(done).toContain(0);
  });

  test('processes all records before the first failure in the order of their items, whatever fails', async () => {
    const batch = fc.record({
      items: fc.string({ unit: fc.constantFrom('a', 'b', 'c'), minLength: 1, maxLength: 12 }),
      failing: fc.uniqueArray(fc.nat(11), { maxLength: 3 }),
      durations: fc.array(fc.nat(3), { maxLength: 12 }),
    });
    await fc.assert(
      fc.asyncProperty(batch, async ({ items, failing, durations }) => {
        const { done, failedAt } = await run(items, failing, durations);
        const first = Math.min(...failing.filter((number) => number < items.length), items.length);
        expect(failedAt).toEqual(first < items.length ? [first] : []);
        for (let number = 0; number < first; number++) expect(done).toContain(number);
        for (const item of new Set(items.split(''))) {
          const own = done.filter((number) => items[number] === item);
          expect(own).toEqual(own.toSorted((a, b) => a - b));
          const broken = failing.find((number) => number === first && items[number] === item);
          if (broken !== undefined) expect(own.filter((number) => number > broken)).toEqual([]);
        }
      }),
      { numRuns: propertyRuns(60) },
    );
  });

  describe.each([
    ['A record that cannot be parsed', new UnreadableRecord('a stream record holds an item that cannot be parsed')],
    ['A record for which an item is read that cannot be parsed', new $ZodError([])],
  ])('%s', (_, unreadable) => {
    const at = (item: string, number: number) => ({ ...recordOf(item, number), eventSourceARN: 'arn:of:the:stream' });
    const records = [at('a', 1), at('b', 2), at('b', 3)];
    const done: number[] = [];
    const processRecord = async (each: StreamRecord) => {
      await pause(0);
      if (numberOf(each) === 2) throw unreadable;
      done.push(numberOf(each));
    };
    const failed = jest.fn();
    beforeEach(() => {
      process.env['DEAD_LETTER_QUEUE_URL'] = 'https://queue.test/failures';
      done.length = 0;
      failed.mockReset();
    });

    test('is sent to the dead-letter queue at once by its sequence number, and blocks no record behind it', async () => {
      await expect(processInOrder(records, processRecord, failed)).resolves.toEqual({ batchItemFailures: [] });
      expect(done.toSorted()).toEqual([1, 3]);
      expect(failed.mock.calls).toEqual([[records[1], unreadable]]);
      expect(queue).toHaveReceivedCommandTimes(SendMessageCommand, 1);
      expect(queue).toHaveReceivedCommandWith(SendMessageCommand, {
        QueueUrl: 'https://queue.test/failures',
        MessageBody: JSON.stringify({ eventSourceArn: 'arn:of:the:stream', sequenceNumber: '2' }),
        MessageAttributes: { reason: { DataType: 'String', StringValue: 'UnreadableRecord' } },
      });
    });

    test('is retried when the dead-letter queue does not accept it', async () => {
      queue.rejects(new Error('no queue'));
      await expect(processInOrder(records, processRecord, failed)).resolves.toEqual({
        batchItemFailures: [{ itemIdentifier: '2' }],
      });
    });

    test('is distinguished from a record that fails, which is only retried', async () => {
      const busy = async (each: StreamRecord) => {
        await pause(0);
        if (numberOf(each) === 2) throw new Error('throttled');
      };
      await expect(processInOrder(records, busy, failed)).resolves.toEqual({
        batchItemFailures: [{ itemIdentifier: '2' }],
      });
      expect(queue).not.toHaveReceivedAnyCommand();
    });
  });

  test('treats a synchronous error like a rejection', async () => {
    const processRecord = () => {
      throw new Error('broken');
    };
    const answer = await processInOrder([recordOf('a', 7)], processRecord, () => undefined);
    expect(answer).toEqual({ batchItemFailures: [{ itemIdentifier: '7' }] });
    expect(itemIdentity(recordOf('a', 1))).toBe(itemIdentity(recordOf('a', 2)));
  });
});
