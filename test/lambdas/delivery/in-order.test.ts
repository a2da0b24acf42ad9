import { SendMessageCommand } from '@aws-sdk/client-sqs';
import fc from 'fast-check';
import { setTimeout as pause } from 'node:timers/promises';
import { itemOf, UnreadableRecord, type StreamRecord } from '../../../data/store/stream-records';
import { inOrder } from '../../../lambdas/delivery/in-order';
import { record } from '../../data/fixtures/stream-record';
import { queue } from '../fixtures/telemetry';

const recordOf = (item: string, number: number) => record({ id: item }, undefined, undefined, number);
const numberOf = ({ dynamodb }: StreamRecord) => Number(dynamodb?.SequenceNumber);

/** Works on items of a batch, named one letter each, for `durations` ms; those whose number is in `failing` fail. */
async function run(items: string, failing: readonly number[] = [], durations: readonly number[] = []) {
  const done: number[] = [];
  const failures: number[] = [];
  const work = async (each: StreamRecord) => {
    await pause(durations[numberOf(each)] ?? 0);
    if (failing.includes(numberOf(each))) throw new Error('broken');
    done.push(numberOf(each));
  };
  const records = items.split('').map(recordOf);
  const answer = await inOrder(records, work, (each) => failures.push(numberOf(each)));
  return { done, failures, failedAt: answer.batchItemFailures.map(({ itemIdentifier }) => Number(itemIdentifier)) };
}

test('An empty batch has no failures.', async () => {
  await expect(run('')).resolves.toEqual({ done: [], failures: [], failedAt: [] });
});

test('Records of one item are worked on one after the other, those of others meanwhile.', async () => {
  const { done } = await run('aab', [], [20, 0, 0]);
  expect(done).toEqual([2, 0, 1]);
});

test('The first record that failed is where it begins again, whichever failed earlier in time.', async () => {
  const { failedAt, failures } = await run('abc', [1, 2], [0, 20, 0]);
  expect(failures).toEqual([2, 1]);
  expect(failedAt).toEqual([1]);
});

test('Nothing of an item is worked on behind one that failed, and what others have before it is.', async () => {
  const { done, failedAt } = await run('abab', [1], [0, 0, 20]);
  expect(failedAt).toEqual([1]);
  expect(done).not.toContain(3);
  expect(done).toContain(0);
});

test('Whatever fails, all before the first failure is done in the order of its item, and nothing overtakes it.', async () => {
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
    { numRuns: 60 },
  );
});

describe('A record that can not be read', () => {
  const unreadable = new UnreadableRecord('a stream record holds what is no item of ours');
  const at = (item: string, number: number) => ({ ...recordOf(item, number), eventSourceARN: 'arn:of:the:stream' });
  const records = [at('a', 1), at('b', 2), at('b', 3)];
  const done: number[] = [];
  const work = async (each: StreamRecord) => {
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

  test('is put aside at once by its number, and keeps nothing behind it waiting.', async () => {
    await expect(inOrder(records, work, failed)).resolves.toEqual({ batchItemFailures: [] });
    expect(done.toSorted()).toEqual([1, 3]);
    expect(failed.mock.calls).toEqual([[records[1], unreadable]]);
    expect(queue).toHaveReceivedCommandTimes(SendMessageCommand, 1);
    expect(queue).toHaveReceivedCommandWith(SendMessageCommand, {
      QueueUrl: 'https://queue.test/failures',
      MessageBody: JSON.stringify({ eventSourceArn: 'arn:of:the:stream', sequenceNumber: '2' }),
      MessageAttributes: { reason: { DataType: 'String', StringValue: 'UnreadableRecord' } },
    });
  });

  test('is tried again when it can not be put aside.', async () => {
    queue.rejects(new Error('no queue'));
    await expect(inOrder(records, work, failed)).resolves.toEqual({ batchItemFailures: [{ itemIdentifier: '2' }] });
  });

  test('is told from one that can not be worked on now, which is not put aside.', async () => {
    const busy = async (each: StreamRecord) => {
      await pause(0);
      if (numberOf(each) === 2) throw new Error('throttled');
    };
    await expect(inOrder(records, busy, failed)).resolves.toEqual({ batchItemFailures: [{ itemIdentifier: '2' }] });
    expect(queue).not.toHaveReceivedAnyCommand();
  });
});

test('A work that throws at once fails like one that rejects.', async () => {
  const work = () => {
    throw new Error('broken');
  };
  const answer = await inOrder([recordOf('a', 7)], work, () => undefined);
  expect(answer).toEqual({ batchItemFailures: [{ itemIdentifier: '7' }] });
  expect(itemOf(recordOf('a', 1))).toBe(itemOf(recordOf('a', 2)));
});
