import { seatShards, shardsToTry } from '../../../domain/events/waiting-seats';

describe('Shards of seats', () => {
  test.each([0, 1, 3, 25, 26, 300, 299, 10_000])('have %i seats together, evenly, and at most 25 each', (total) => {
    const seats = seatShards(total).map((shard) => shard.seats);
    expect(seats.reduce((sum, each) => sum + each, 0)).toBe(total);
    expect(Math.max(0, ...seats) - Math.min(25, ...seats)).toBeLessThanOrEqual(1);
    expect(Math.max(0, ...seats)).toBeLessThanOrEqual(25);
  });

  test('are tried at random, three different ones', () => {
    const draws = Array.from({ length: 200 }, () => shardsToTry(300, Math.random).map(({ shard }) => shard));
    for (const shards of draws) expect(new Set(shards).size).toBe(3);
    expect(new Set(draws.flat())).toEqual(new Set(seatShards(300).map(({ shard }) => shard)));
  });

  test.each([
    [0, 0],
    [3, 1],
    [40, 2],
    [75, 3],
  ])('of a total of %i: %i are tried', (total, tried) => {
    for (const random of [0, 0.5, 0.999])
      expect(new Set(shardsToTry(total, () => random).map(({ shard }) => shard)).size).toBe(tried);
  });

  test('give a call a seat while 95 % of 300 are taken, nearly always', () => {
    const taken = new Map(seatShards(300).map(({ shard }) => [shard, 0]));
    const admit = () => {
      const free = shardsToTry(300, Math.random).find(({ shard, seats }) => (taken.get(shard) ?? 0) < seats);
      if (free) taken.set(free.shard, (taken.get(free.shard) ?? 0) + 1);
      return free !== undefined;
    };
    const admitted = Array.from({ length: 285 }, admit).filter(Boolean);
    expect(admitted.length).toBeGreaterThan(240);
  });
});
