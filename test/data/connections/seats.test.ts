import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import {
  countSeats,
  isSeatCount,
  expiredSeats,
  releaseSeats,
  clientSeats,
  holderOf,
  seatOf,
  seatOwner,
  shareSeats,
  takeSeat,
} from '../../../data/connections/seats';
import { conditionFailed, onlyCommand, sent, store, values } from '../fixtures/store';

const now = 1795775400;
const owner = 'client#client1';
const Key = { channel: owner, connectionId: owner };
const mine = { connectionId: 'mine=', openedAt: now, expiresAt: now + 60 };
const other = { connectionId: 'other', openedAt: now - 99, expiresAt: now };
const name = `${now + 60} ${now} mine=`;
/** A seat that expires in so many seconds. */
const ending = (seconds: number, connectionId = 'other') => `${now + seconds} ${now - 99} ${connectionId}`;
const full = (...taken: string[]) => conditionFailed({ ...Key, seats: new Set(taken) });
const take = (max = 3) => takeSeat(owner, mine, { max, ttl: now + 99, now });
const expressions = () => sent().map(({ UpdateExpression }) => String(UpdateExpression).split(' ', 1)[0]);

describe('A seat', () => {
  test('contains expiry, opening time and connection id', () => {
    expect(seatOf(mine)).toBe(name);
    expect(holderOf(name)).toEqual(mine);
  });

  test.each(['', 'mine', '1795775460 mine'])('reads %j, which is malformed, as expired', (malformed) => {
    expect(holderOf(malformed)).toMatchObject({ openedAt: 0 });
    expect([...expiredSeats(new Set([malformed]), 1795775460)]).toEqual([malformed]);
  });

  test('expires in the second that it contains', () => {
    const taken = new Set([ending(-9), ending(0), ending(1)]);
    expect([...expiredSeats(taken, now)]).toEqual([ending(-9), ending(0)]);
  });
});

describe('takeSeat', () => {
  test('is one conditional write', async () => {
    store.on(UpdateCommand).resolves({ Attributes: { ...Key, seats: new Set(['1 1 other']), recount: true } });
    await expect(take()).resolves.toEqual({ seats: new Set(['1 1 other']), recount: true });
    expect(onlyCommand()).toMatchObject({
      TableName: 'connections',
      Key,
      UpdateExpression: 'ADD seats :seat SET recount = :true, #ttl = :ttl',
      ConditionExpression: 'attribute_not_exists(seats) OR size(seats) < :max OR contains(seats, :name)',
      ReturnValues: 'ALL_OLD',
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
    });
    expect(values()).toEqual({
      ':seat': new Set([name]),
      ':name': name,
      ':max': 3,
      ':true': true,
      ':ttl': now + 99,
    });
  });

  test('returns no seats for an owner without an item', async () => {
    store.on(UpdateCommand).resolves({});
    await expect(take()).resolves.toEqual({ seats: new Set() });
  });

  test('returns undefined after one write when all seats are taken', async () => {
    store.on(UpdateCommand).rejects(full(ending(1), ending(9)));
    await expect(take()).resolves.toBeUndefined();
    expect(sent()).toHaveLength(1);
  });

  test('releases only expired seats when all are taken, then takes one', async () => {
    store
      .on(UpdateCommand)
      .rejectsOnce(full(ending(0, 'just'), ending(-9, 'long'), ending(1, 'open')))
      .resolves({});
    await expect(take()).resolves.toBeDefined();
    expect(expressions()).toEqual(['ADD', 'DELETE', 'ADD']);
    expect(sent()[1]?.['ExpressionAttributeValues']).toMatchObject({
      ':released': new Set([ending(0, 'just'), ending(-9, 'long')]),
    });
  });

  test('returns whether a count was requested before, also after releasing seats', async () => {
    for (const wasRequested of [undefined, true]) {
      store
        .on(UpdateCommand)
        .rejectsOnce(full(ending(0)))
        .resolvesOnce({ Attributes: { ...Key, seats: new Set([ending(0)]), ...(wasRequested && { recount: true }) } })
        .resolves({ Attributes: { ...Key, recount: true } });
      expect((await take(1))?.recount).toBe(wasRequested);
      store.reset();
    }
  });

  test('returns undefined when concurrent handshakes take the released seats', async () => {
    store
      .on(UpdateCommand)
      .rejectsOnce(full(ending(0)))
      .resolvesOnce({})
      .rejects(full(ending(9)));
    await expect(take(1)).resolves.toBeUndefined();
    expect(sent()).toHaveLength(3);
  });

  test.each([
    ['at first', 0],
    ['when it releases seats', 1],
    ['when it tries again', 2],
  ])('passes on errors of DynamoDB %s', async (_, after) => {
    const fault = new Error('throttled');
    const behaviour = store.on(UpdateCommand);
    if (after > 0) behaviour.rejectsOnce(full(ending(0)));
    if (after > 1) behaviour.resolvesOnce({});
    behaviour.rejects(fault);
    await expect(take(1)).rejects.toBe(fault);
  });
});

describe('releaseSeats', () => {
  test('is one write on condition that the first seat is taken, and returns the seats before', async () => {
    store.on(UpdateCommand).resolves({ Attributes: { ...Key, seats: new Set([name]) } });
    await expect(releaseSeats(owner, [mine, other])).resolves.toEqual({ seats: new Set([name]) });
    expect(onlyCommand()).toMatchObject({
      Key,
      UpdateExpression: 'DELETE seats :released SET recount = :true',
      ConditionExpression: 'contains(seats, :first)',
      ReturnValues: 'ALL_OLD',
    });
    expect(values()).toEqual({ ':released': new Set([name, ending(0)]), ':first': name, ':true': true });
  });

  test('returns undefined when the seats were released already', async () => {
    store.on(UpdateCommand).rejects(conditionFailed());
    await expect(releaseSeats(owner, [mine])).resolves.toBeUndefined();
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
  test('is one write that clears the recount flag and increments the number of the count', async () => {
    store.on(UpdateCommand).resolves({ Attributes: { ...Key, seats: new Set(['a', 'b']), counts: 7 } });
    await expect(countSeats(owner, 1_700_086_400)).resolves.toEqual({ taken: 2, count: 7 });
    expect(onlyCommand()).toMatchObject({
      Key,
      UpdateExpression: 'SET #ttl = if_not_exists(#ttl, :ttl) REMOVE recount ADD counts :one',
      ExpressionAttributeValues: { ':ttl': 1_700_086_400 },
      ReturnValues: 'ALL_NEW',
    });
  });

  test('returns 0 after the last seat was released', async () => {
    store.on(UpdateCommand).resolves({ Attributes: { ...Key, counts: 8 } });
    await expect(countSeats(owner, 1_700_086_400)).resolves.toEqual({ taken: 0, count: 8 });
  });
});

test.each([
  [true, Key],
  [false, { channel: 'job#x', connectionId: 'socket-1' }],
  [false, { channel: 'mqtt#client1', connectionId: 'client1-1 topic' }],
])('isSeatCount returns %s for %j', (counts, item) => {
  expect(isSeatCount(item)).toBe(counts);
});
