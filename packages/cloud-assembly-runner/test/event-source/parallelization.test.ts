import { TransactWriteItemsCommand } from '@aws-sdk/client-dynamodb';
import { setTimeout as pause } from 'node:timers/promises';
import type { EventSources } from '../../event-source';
import { givenStreams, type Delivered, type GivenStreams } from './stream-fixture';
import { until } from '../until';

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
