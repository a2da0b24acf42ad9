import { setImmediate as turn } from 'node:timers/promises';
import { allSettled } from '../../../lambdas/delivery/all-settled';
import { withConcurrency } from '../../../lambdas/delivery/with-concurrency';

/** Elements that are served until they are let go. */
function given() {
  const letGo: (() => void)[] = [];
  let most = 0;
  let served = 0;
  const serve = async () => {
    most = Math.max(most, letGo.length - served + 1);
    await new Promise<void>((resolve) => letGo.push(resolve));
    served += 1;
  };
  const finish = async (count: number) => {
    for (let next = 0; next < count; next++) {
      while (letGo.length <= next) await turn();
      letGo[next]?.();
      await turn();
    }
  };
  return { serve, finish, most: () => most, begun: () => letGo.length };
}

const list = (length: number) => Array.from({ length }, (_, index) => index);

test('All elements are served, at most fifty at the same time however many lists there are.', async () => {
  const { serve, finish, most, begun } = given();
  const lists = [withConcurrency(list(40), serve), withConcurrency(list(40), serve), withConcurrency(list(3), serve)];
  await turn();
  expect(begun()).toBe(50);
  await finish(83);
  await Promise.all(lists);
  expect([begun(), most()]).toEqual([83, 50]);
});

test('One that fails keeps none of the others from being served, and its error comes when all are done.', async () => {
  const served: number[] = [];
  const serve = async (element: number) => {
    await turn();
    if (element === 3) throw new Error('broken');
    served.push(element);
  };
  await expect(withConcurrency(list(120), serve)).rejects.toThrow('broken');
  expect(served).toHaveLength(119);
});

test('A failure gives its place back.', async () => {
  const fail = () => Promise.reject(new Error('broken'));
  await expect(withConcurrency(list(200), fail)).rejects.toThrow('broken');
  const { serve, finish, begun } = given();
  const after = withConcurrency(list(50), serve);
  await turn();
  expect(begun()).toBe(50);
  await finish(50);
  await after;
});

test('Of several promises the first error counts, once none is under way.', async () => {
  let isDone = false;
  const slow = turn().then(() => {
    isDone = true;
  });
  await expect(allSettled([slow, Promise.reject(new Error('broken'))])).rejects.toThrow('broken');
  expect(isDone).toBe(true);
});
