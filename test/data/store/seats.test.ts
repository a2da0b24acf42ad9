import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import {
  countSeats,
  isSeatCount,
  expiredSeats,
  releaseSeats,
  clientSeats,
  parseSeat,
  readSeats,
  formatSeat,
  seatOwner,
  shareSeats,
  takeSeat,
} from '../../../data/store/seats';
import { storeOnEngine } from '../fixtures/engine';
import { store, sent } from '../fixtures/store';
import { withFileSeat } from '../../../data/missions/file-seats';
import type { Refusal } from '../../../domain/values/refusal';
import { acme, rival } from '../../domain/fixtures/samples';

const engine = storeOnEngine('connections');
const now = 1795775400;
const owner = 'client#client1';
const Key = { channel: owner, connectionId: owner };
const mine = { connectionId: 'mine=', openedAt: now, expiresAt: now + 60 };
const other = { connectionId: 'other', openedAt: now - 99, expiresAt: now };
const name = `${now + 60} ${now} mine=`;
/** A seat that expires in so many seconds. */
const ending = (seconds: number, connectionId = 'other') => `${now + seconds} ${now - 99} ${connectionId}`;
const item = (seats: readonly string[], more: object = {}) => ({
  ...Key,
  ...(seats.length > 0 && { seats: new Set(seats) }),
  ...more,
});
const take = (max = 3) => takeSeat(owner, mine, { max, ttl: now + 99, now });

describe('A seat', () => {
  test('contains expiry, opening time and connection id', () => {
    expect(formatSeat(mine)).toBe(name);
    expect(parseSeat(name)).toEqual(mine);
  });

  test.each(['', 'mine', '1795775460 mine'])('reads %j, which is malformed, as expired', (malformed) => {
    expect(parseSeat(malformed)).toMatchObject({ openedAt: 0 });
    expect([...expiredSeats(new Set([malformed]), 1795775460)]).toEqual([malformed]);
  });

  test('expires in the second that it contains', () => {
    const taken = new Set([ending(-9), ending(0), ending(1)]);
    expect([...expiredSeats(taken, now)]).toEqual([ending(-9), ending(0)]);
  });
});

describe('takeSeat', () => {
  test.each<[string, Record<string, unknown> | undefined, object]>([
    ['the first one of an owner without an item', undefined, { seats: new Set() }],
    ['the first one after all were released', item([], { recount: true }), { seats: new Set(), recount: true }],
    ['the last one that is free', item([ending(1), ending(9)]), { seats: new Set([ending(1), ending(9)]) }],
    [
      'the same one again when all are taken',
      item([ending(1), ending(9), name]),
      { seats: new Set([ending(1), ending(9), name]) },
    ],
  ])('takes %s by one write, and returns the seats before', async (_, before, found) => {
    if (before) await engine.put('connections', before);
    await expect(take()).resolves.toEqual(found);
    const seats = new Set([...readSeats(before).seats, name]);
    expect(await engine.all('connections')).toEqual([{ ...Key, seats, recount: true, ttl: now + 99 }]);
    expect(store.calls()).toHaveLength(1);
  });

  test('takes none by one write when all are taken', async () => {
    const before = item([ending(1), ending(9)]);
    await engine.put('connections', before);
    await expect(take(2)).resolves.toBeUndefined();
    expect(await engine.all('connections')).toEqual([before]);
    expect(store.calls()).toHaveLength(1);
  });

  test.each([undefined, true])(
    'releases only expired seats when all are taken, then takes one, and returns whether a count was requested before: %s',
    async (recount) => {
      const taken = [ending(0, 'just'), ending(-9, 'long'), ending(1, 'open')];
      await engine.put('connections', item(taken, { recount }));
      await expect(take()).resolves.toEqual({ seats: new Set([ending(1, 'open')]), recount });
      const after = item([ending(1, 'open'), name], { recount: true, ttl: now + 99 });
      expect(await engine.all('connections')).toEqual([after]);
      expect(store.calls()).toHaveLength(3);
    },
  );

  test('returns undefined when concurrent handshakes take the released seats', async () => {
    const answer = engine.answers('UpdateCommand');
    store
      .on(UpdateCommand)
      .callsFakeOnce(answer)
      .callsFakeOnce(async (input: object) => {
        const released = await answer(input);
        await engine.put('connections', item([ending(9)]));
        return released;
      })
      .callsFake(answer);
    await engine.put('connections', item([ending(0)]));
    await expect(take(1)).resolves.toBeUndefined();
    expect(await engine.all('connections')).toEqual([item([ending(9)])]);
    expect(store.calls()).toHaveLength(3);
  });

  test.each([
    ['at first', 0],
    ['when it releases seats', 1],
    ['when it tries again', 2],
  ])('passes on errors of DynamoDB %s', async (_, after) => {
    const fault = new Error('throttled');
    const behaviour = store.on(UpdateCommand);
    for (let done = 0; done < after; done++) behaviour.callsFakeOnce(engine.answers('UpdateCommand'));
    behaviour.rejects(fault);
    await engine.put('connections', item([ending(0)]));
    await expect(take(1)).rejects.toBe(fault);
    expect(store.calls()).toHaveLength(after + 1);
  });
});

describe('releaseSeats', () => {
  test.each([
    ['releases those that are taken', [name, ending(0), ending(9)], [ending(9)]],
    ['releases the first one, though another was released already', [name, ending(9)], [ending(9)]],
    ['leaves the others when the first one was released already', [ending(0), ending(9)], undefined],
    ['creates no item', undefined, undefined],
  ])('%s by one write, and returns the seats before', async (_, before, after) => {
    const found = before ? [item(before)] : [];
    await engine.put('connections', ...found);
    await expect(releaseSeats(owner, [mine, other])).resolves.toEqual(after && { seats: new Set(before) });
    expect(await engine.all('connections')).toEqual(after ? [item(after, { recount: true })] : found);
    expect(store.calls()).toHaveLength(1);
  });

  test('sends no command for no seats', async () => {
    await expect(releaseSeats(owner, [])).resolves.toBeUndefined();
    expect(store).not.toHaveReceivedAnyCommand();
  });
});

test.each([
  [clientSeats('client1'), { clientId: 'client1' }],
  [shareSeats('share-acme1234-1'), { shareCode: 'share-acme1234-1' }],
  ['job#job-acme1234-1', {}],
])('the owner %s is %j', (owner, expected) => {
  expect(seatOwner(owner)).toEqual(expected);
});

describe('countSeats', () => {
  test.each([
    ['the seats', [item(['a', 'b'], { recount: true, counts: 6, ttl: 5 })], 2, 7, item(['a', 'b'], { ttl: 5 })],
    ['none after the last one was released', [item([], { counts: 7, ttl: 5 })], 0, 8, item([], { ttl: 5 })],
    ['none of an owner without an item', [], 0, 1, item([], { ttl: now })],
  ])('counts %s and clears the recount flag, by one write', async (_, before, taken, count, after) => {
    await engine.put('connections', ...before);
    await expect(countSeats(owner, now)).resolves.toEqual({ taken, count });
    expect(await engine.all('connections')).toEqual([{ ...after, counts: count }]);
    expect(store.calls()).toHaveLength(1);
  });
});

test.each([
  [true, Key],
  [false, { channel: 'job#x', connectionId: 'socket-1' }],
  [false, { channel: 'mqtt#client1', connectionId: 'client1-1 topic' }],
])('isSeatCount returns %s for %j', (counts, item) => {
  expect(isSeatCount(item)).toBe(counts);
});

describe('The seat of a file that is read', () => {
  const engine = storeOnEngine('requests');

  const refusal = {
    code: 'too_many_requests',
    details: [{ path: '', message: 'at most 2 files of an organisation are read at the same time: send it again' }],
  };

  /** A file that is read until it is ended. */
  function reading(organisation = acme) {
    let end: () => void = () => undefined;
    const ended = new Promise<void>((resolve) => void (end = resolve));
    let begun: () => void = () => undefined;
    const begins = new Promise<void>((resolve) => void (begun = resolve));
    const stored = withFileSeat(organisation, async () => {
      begun();
      await ended;
      return 'stored';
    });
    return { stored, begins, end };
  }

  const read = (organisation = acme) => withFileSeat(organisation, () => Promise.resolve('stored'));

  beforeEach(() => {
    process.env['MAX_FILES_AT_ONCE'] = '2';
  });
  afterEach(() => jest.restoreAllMocks());

  test('a file takes one write, and one more at its end', async () => {
    expect(await read()).toBe('stored');
    expect(sent()).toHaveLength(2);
  });

  test('beside as many as may be read the next one is refused, and not read, until one of them has ended', async () => {
    const [one, two] = [reading(), reading()];
    await Promise.all([one.begins, two.begins]);
    const store = jest.fn();
    await expect(withFileSeat(acme, store)).rejects.toMatchObject(refusal);
    expect(store).not.toHaveBeenCalled();
    const waits = await Promise.all(
      Array.from({ length: 40 }, () => read().catch((error: unknown) => (error as Refusal).retryAfterSeconds)),
    );
    expect([...new Set(waits)].toSorted()).toEqual([2, 3, 4, 5]);
    expect(await read(rival)).toBe('stored');
    one.end();
    await one.stored;
    expect(await read()).toBe('stored');
    two.end();
    await two.stored;
  });

  test('twenty at once: two are read, not one more', async () => {
    const files = Array.from({ length: 20 }, () => reading());
    const outcomes = Promise.allSettled(files.map(({ stored }) => stored));
    await Promise.all(files.map(({ begins, stored }) => Promise.race([begins, stored.catch(() => 0)])));
    for (const { end } of files) end();
    const kept = (await outcomes).filter(({ status }) => status === 'fulfilled');
    expect(kept).toHaveLength(2);
  });

  test('a file that can’t be read gives its seat back', async () => {
    for (let number = 0; number < 3; number++)
      await expect(withFileSeat(acme, () => Promise.reject(new Error('no file')))).rejects.toThrow('no file');
    expect(await read()).toBe('stored');
  });

  test('a seat whose write failed, and was done, is given back; a refused file costs one write', async () => {
    let fails = false;
    store.on(UpdateCommand).callsFake(async (input: object) => {
      const answer = await engine.answers('UpdateCommand')(input);
      if (!fails) return answer;
      fails = false;
      throw new Error('timed out');
    });
    for (const _ of [1, 2]) {
      fails = true;
      await expect(read()).rejects.toThrow('timed out');
    }
    const files = [reading(), reading()];
    await Promise.all(files.map(({ begins }) => begins));
    const before = sent().length;
    await expect(read()).rejects.toMatchObject(refusal);
    expect(sent().length - before).toBe(1);
    for (const { end } of files) end();
    expect(await Promise.all(files.map(({ stored }) => stored))).toEqual(['stored', 'stored']);
  });

  test('the seat of a function that was ended is free after its ten seconds', async () => {
    const clock = jest.spyOn(Date, 'now').mockReturnValue(1_795_775_400_000);
    const died = [reading(), reading()];
    await Promise.all(died.map(({ begins }) => begins));
    clock.mockReturnValue(1_795_775_409_999);
    await expect(read()).rejects.toMatchObject(refusal);
    clock.mockReturnValue(1_795_775_410_000);
    expect(await read()).toBe('stored');
    for (const { end } of died) end();
    await Promise.all(died.map(({ stored }) => stored));
  });

  test('a seat that can’t be given back does not fail the file', async () => {
    const file = reading();
    await file.begins;
    store.on(UpdateCommand).rejects(new Error('connect ECONNREFUSED'));
    file.end();
    expect(await file.stored).toBe('stored');
  });
});
