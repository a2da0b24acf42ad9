import { memoise } from '../../../lambdas/delivery/memoise';

test('reads once per key for concurrent callers', async () => {
  const read = jest.fn((input: { id: string }) => Promise.resolve(input.id.toUpperCase()));
  const memoised = memoise(read, ({ id }) => id);
  await expect(Promise.all(['a', 'b', 'a', 'a'].map((id) => memoised({ id })))).resolves.toEqual(['A', 'B', 'A', 'A']);
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
