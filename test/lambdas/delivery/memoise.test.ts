import { memoise } from '../../../lambdas/delivery/memoise';

test('What several ask for at once is read once for each key.', async () => {
  const read = jest.fn((asked: { id: string }) => Promise.resolve(asked.id.toUpperCase()));
  const ask = memoise(read, ({ id }) => id);
  await expect(Promise.all(['a', 'b', 'a', 'a'].map((id) => ask({ id })))).resolves.toEqual(['A', 'B', 'A', 'A']);
  expect(read).toHaveBeenCalledTimes(2);
});

test('A read that fails fails everyone who asks.', async () => {
  const ask = memoise(
    () => Promise.reject(new Error('throttled')),
    (id: string) => id,
  );
  await expect(ask('a')).rejects.toThrow('throttled');
  await expect(ask('a')).rejects.toThrow('throttled');
});
