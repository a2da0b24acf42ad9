import { SendMessageCommand } from '@aws-sdk/client-sqs';
import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import { itemSize } from 'cloud-assembly-runner/dynamodb/item-size';
import {
  countViewers,
  requestViewerCount,
  releaseViewerSeats,
  readRecount,
  takeViewerSeat,
} from '../../../data/shares/share-viewers';
import { acme, sampleShare } from '../../domain/fixtures/samples';
import { queue } from '../../lambdas/fixtures/telemetry';
import { storeOnEngine } from '../fixtures/engine';
import { conditionFailed, store } from '../fixtures/store';
import { newShareCode } from '../../../data/store/new-id';
import { countSeats, noteChange, readShards, releaseSeats, seatsKey, shareSeats } from '../../../data/store/seats';
import { shardCapacities, takeSeatInAnyShard } from '../../../data/shares/share-seats';

const now = Date.parse('2026-11-27T10:30:00.000Z') / 1000;

describe('Share viewers', () => {
  const engine = storeOnEngine('connections', 'shares');
  const share = sampleShare({ maxViewers: 2 });
  const { shareCode } = share;
  const seats = (taken: readonly string[], more: object = {}) => ({
    channel: `seats#${shareCode}`,
    connectionId: `seats#${shareCode}`,
    seats: new Set(taken),
    ...more,
  });
  const viewer = { connectionId: 'mine', openedAt: now, expiresAt: now + 60 };
  const seat = `${now + 60} ${now} mine`;
  const other = `${now + 1} ${now} other`;
  const take = () => takeViewerSeat(share, viewer, now);
  const requestedCounts = () =>
    queue.commandCalls(SendMessageCommand).map(({ args: [{ input }] }) => readRecount(input.MessageBody ?? ''));

  describe('takeViewerSeat', () => {
    test('takes the last seat until the share ends by one write, and requests a count in a second', async () => {
      await engine.put('connections', seats([other]));
      await take();
      const ttl = Date.parse(share.expiresAt) / 1000;
      expect(await engine.all('connections')).toEqual([seats([other, seat], { recount: true, ttl })]);
      expect(store.calls()).toHaveLength(1);
      expect(queue).toHaveReceivedCommandWith(SendMessageCommand, {
        QueueUrl: 'https://queue.test/viewers',
        MessageBody: JSON.stringify({ shareCode }),
        DelaySeconds: 1,
      });
      expect(requestedCounts()).toEqual([shareCode]);
    });

    test('requests no count when one is pending', async () => {
      for (let viewers = 0; viewers < 5; viewers++) await take();
      expect(requestedCounts()).toHaveLength(1);
    });

    test('requests a count also after releasing an expired seat', async () => {
      await engine.put('connections', seats([other, `${now} 1 lost`]));
      await take();
      expect(requestedCounts()).toEqual([shareCode]);
    });

    test('refuses when the share is full by one write, and requests no count', async () => {
      const full = seats([other, `${now + 1} ${now} another`]);
      await engine.put('connections', full);
      await expect(take()).rejects.toMatchObject({ code: 'too_many_viewers' });
      expect(await engine.all('connections')).toEqual([full]);
      expect(store.calls()).toHaveLength(1);
      expect(requestedCounts()).toEqual([]);
    });
  });

  describe('releaseViewerSeats', () => {
    const pending = { recount: true };

    test.each([
      ['releases a seat and requests a count', seats([seat, other]), seats([other], pending), [shareCode]],
      ['requests no count when one is pending', seats([seat, other], pending), seats([other], pending), []],
      ['requests no count when the seat was released already', seats([other]), seats([other]), []],
    ])('%s, by one write', async (_, before, after, counts) => {
      await engine.put('connections', before);
      await releaseViewerSeats(shareCode, [viewer]);
      expect(await engine.all('connections')).toEqual([after]);
      expect(store.calls()).toHaveLength(1);
      expect(requestedCounts()).toEqual(counts);
    });
  });

  describe('countViewers', () => {
    const item = { organisation: acme, shareCode, version: 1 };
    beforeEach(() => engine.put('connections', seats([seat], { counts: 6 })));

    test.each<[string, number, object | undefined, object | undefined]>([
      [
        'writes the first count with the next version',
        2,
        { currentViewers: 0 },
        { currentViewers: 1, viewerCount: 7, version: 2 },
      ],
      [
        'writes a number in place of that of an earlier count',
        2,
        { currentViewers: 2, viewerCount: 6 },
        { currentViewers: 1, viewerCount: 7, version: 2 },
      ],
      ['leaves the number of a later count', 2, { currentViewers: 2, viewerCount: 8 }, {}],
      ['leaves the number of the same count', 2, { currentViewers: 2, viewerCount: 7 }, {}],
      [
        'writes only the number of the count when that of viewers is the same, so that an earlier count fails',
        3,
        { currentViewers: 1, viewerCount: 6 },
        { viewerCount: 7 },
      ],
      ['writes only the number of the first count, too', 3, { currentViewers: 1 }, { viewerCount: 7 }],
      ['leaves the number of a later count with as many viewers', 3, { currentViewers: 1, viewerCount: 8 }, {}],
      ['writes nothing into a share that was revoked', 2, undefined, undefined],
    ])('%s, by %d writes', async (_, writes, before, after) => {
      if (before) await engine.put('shares', { ...item, ...before });
      await countViewers(shareCode, 1_700_000_000);
      expect(await engine.all('shares')).toEqual(after ? [{ ...item, ...before, ...after }] : []);
      expect(store.calls()).toHaveLength(writes);
    });

    test('writes no number of a count into a share that has been revoked meanwhile', async () => {
      store
        .on(UpdateCommand, { TableName: 'shares' })
        .rejectsOnce(conditionFailed({ currentViewers: 1 }))
        .callsFake(engine.answers('UpdateCommand'));
      await expect(countViewers(shareCode, 1_700_000_000)).resolves.toBeUndefined();
      expect(await engine.all('shares')).toEqual([]);
      expect(store.calls()).toHaveLength(3);
    });
  });

  test.each(['', '{}', '[]', 'null', '{"shareCode":1}'])('readRecount refuses the message %j', (body) => {
    expect(() => readRecount(body)).toThrow();
  });

  test('requestViewerCount fails without VIEWER_COUNT_QUEUE_URL', async () => {
    const { VIEWER_COUNT_QUEUE_URL } = process.env;
    delete process.env['VIEWER_COUNT_QUEUE_URL'];
    await expect(requestViewerCount(shareCode)).rejects.toThrow('VIEWER_COUNT_QUEUE_URL is not set');
    process.env['VIEWER_COUNT_QUEUE_URL'] = VIEWER_COUNT_QUEUE_URL;
  });
});

describe('Share seats', () => {
  const engine = storeOnEngine('connections');
  let owner = '';
  /** A viewer, whose connection has an id as API Gateway makes them. */
  const viewer = (number: number, expiresAt = now + 3600.123) => ({
    connectionId: `L0SM9c${String(number).padStart(9, '0')}=`,
    openedAt: now,
    expiresAt,
  });
  const take = (number: number, max: number, at = now) =>
    takeSeatInAnyShard(owner, viewer(number), { max, ttl: now + 9999, now: at });
  const sizes = async () => [...(await readShards(owner)).values()].map((seats) => seats.size);
  const taken = async () => (await sizes()).reduce((sum, size) => sum + size, 0);

  beforeEach(() => {
    owner = shareSeats(newShareCode(acme, new Date(now * 1000).toISOString()));
  });

  test.each([
    [1, 1, [1]],
    [10, 1, [10]],
    [20, 1, [20]],
    [21, 2, [10, 11]],
    [50, 3, [16, 17]],
    [1000, 50, [20]],
  ])('%d seats are in %d shards', (max, shards, capacities) => {
    const all = shardCapacities(max);
    expect([all.length, all.reduce((sum, each) => sum + each, 0)]).toEqual([shards, max]);
    expect([...new Set(all)].toSorted((one, other) => one - other)).toEqual(capacities);
  });

  describe.each([10, 45])('Of %d seats', (max) => {
    test('each is taken once, however many viewers come at once', async () => {
      const found = await Promise.all(Array.from({ length: 2 * max }, (_, number) => take(number, max)));
      expect(found.filter((one) => one !== undefined)).toHaveLength(max);
      expect(await taken()).toBe(max);
    });

    test('a viewer takes the same one when the call is repeated', async () => {
      const first = await take(1, max);
      expect((await take(1, max))?.shard).toBe(first?.shard);
      expect(await taken()).toBe(1);
    });

    test('the only free one is found', async () => {
      const found = await Promise.all(Array.from({ length: max }, (_, number) => take(number, max)));
      for (const leaving of [0, max - 1]) {
        await releaseSeats(owner, [viewer(leaving)], found[leaving]?.shard);
        expect(await take(max + leaving, max)).toBeDefined();
        expect(await take(9999, max)).toBeUndefined();
      }
    });

    test('those of viewers without $disconnect are free when they have expired', async () => {
      for (let number = 0; number < max; number++) await take(number, max);
      expect(await take(max, max, now + 3600)).toBeUndefined();
      expect(await take(max, max, now + 3601)).toBeDefined();
    });

    test('never more are taken while viewers come and go, and none is lost', async () => {
      const inside = new Map<number, number>();
      let most = 0;
      const comeAndGo = async (number: number) => {
        for (let round = 0; round < 4; round++) {
          const seat = await take(100 * number + round, max);
          if (!seat) continue;
          inside.set(number, seat.shard);
          most = Math.max(most, inside.size);
          if (round % 2 === 1) continue;
          // It may be taken by another as soon as it is released.
          inside.delete(number);
          await releaseSeats(owner, [viewer(100 * number + round)], seat.shard);
        }
      };
      await Promise.all(Array.from({ length: max + 9 }, (_, number) => comeAndGo(number)));
      expect(most).toBeLessThanOrEqual(max);
      const capacities = shardCapacities(max);
      const held = await readShards(owner);
      for (const [shard, seats] of held) expect(seats.size).toBeLessThanOrEqual(capacities[shard] ?? 0);
    });

    test('all are counted', async () => {
      for (let number = 0; number < max; number++) {
        const seat = await take(number, max);
        if (seat && seat.shard > 0) await noteChange(owner, now + 9999);
      }
      expect(await countSeats(owner, now + 9999)).toEqual({ taken: max, count: 1 });
    });
  });

  test('a change of another shard than the first requests one count until it is done', async () => {
    const changes = () => [1, 2, 3].map(() => noteChange(owner, now));
    expect(await Promise.all(changes())).toEqual(expect.arrayContaining([true, false, false]));
    await countSeats(owner, now);
    expect((await Promise.all(changes())).filter(Boolean)).toHaveLength(1);
  });

  test('the item of a full shard is one write unit', async () => {
    for (let number = 0; number < 20; number++) await take(number, 20);
    await noteChange(owner, now);
    await countSeats(owner, now);
    await noteChange(owner, now);
    const item = (await engine.get('connections', seatsKey(owner))) ?? {};
    expect(item['seats']).toHaveProperty('size', 20);
    expect(itemSize(marshall(item))).toBeLessThanOrEqual(1024);
  });

  test('seats that are released after their share has ended create no item', async () => {
    await expect(releaseSeats(owner, [viewer(1)], 7)).resolves.toBeUndefined();
    expect(await sizes()).toEqual([]);
  });
});
