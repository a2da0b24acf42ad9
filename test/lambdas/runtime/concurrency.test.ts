import { setImmediate as turn } from 'node:timers/promises';
import { allSettled, memoise, withConcurrency } from '../../../lambdas/runtime/concurrency';

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
