import { UpdateCommand } from '../../../data/store/document-client';
import {
  countPlaces,
  countsPlaces,
  endedAmong,
  givePlacesBack,
  holderOf,
  placeOf,
  takePlace,
} from '../../../data/connections/places';
import { conditionFailed, onlyCommand, sent, store, values } from '../fixtures/store';

const now = 1795775400;
const owner = 'client#client1';
const Key = { channel: owner, connectionId: owner };
const mine = { connectionId: 'mine=', openedAt: now, expiresAt: now + 60 };
const name = `${now + 60} ${now} mine=`;
/** A place whose time is up so many seconds from now. */
const ending = (seconds: number, connectionId = 'other') => `${now + seconds} ${now - 99} ${connectionId}`;
const full = (...held: string[]) => conditionFailed({ ...Key, held: new Set(held) });
const take = (max = 3) => takePlace(owner, mine, { max, ttl: now + 99, now });
const expressions = () => sent().map(({ UpdateExpression }) => String(UpdateExpression).split(' ', 1)[0]);

describe('A place', () => {
  test('names its end, its beginning and its connection, and is read as it was written.', () => {
    expect(placeOf(mine)).toBe(name);
    expect(holderOf(name)).toEqual(mine);
  });

  test.each(['', 'mine', '1795775460 mine'])('%j is none of ours, and reads as one that has ended.', (odd) => {
    expect(holderOf(odd)).toMatchObject({ openedAt: 0 });
    expect([...endedAmong(new Set([odd]), 1795775460)]).toEqual([odd]);
  });

  test('has ended from the second on that it names.', () => {
    const held = new Set([ending(-9), ending(0), ending(1)]);
    expect([...endedAmong(held, now)]).toEqual([ending(-9), ending(0)]);
  });
});

describe('Taking a place', () => {
  test('is one conditional write that counts and takes at once.', async () => {
    store.on(UpdateCommand).resolves({ Attributes: { ...Key, held: new Set(['1 1 other']), recount: true } });
    await expect(take()).resolves.toEqual({ held: new Set(['1 1 other']), recount: true });
    expect(onlyCommand()).toMatchObject({
      TableName: 'connections',
      Key,
      UpdateExpression: 'ADD held :place SET recount = :true, #ttl = :ttl',
      ConditionExpression: 'attribute_not_exists(held) OR size(held) < :max OR contains(held, :name)',
      ReturnValues: 'ALL_OLD',
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
    });
    expect(values()).toEqual({
      ...{ ':place': new Set([name]), ':name': name, ':max': 3 },
      ...{ ':true': true, ':ttl': now + 99 },
    });
  });

  test('of one who has none yet finds nothing taken before.', async () => {
    store.on(UpdateCommand).resolves({});
    await expect(take()).resolves.toEqual({ held: new Set() });
  });

  test('is refused after one write when all are taken.', async () => {
    store.on(UpdateCommand).rejects(full(ending(1), ending(9)));
    await expect(take()).resolves.toBeUndefined();
    expect(sent()).toHaveLength(1);
  });

  test('gives back just those whose time is up when there is no other, and takes one then.', async () => {
    store
      .on(UpdateCommand)
      .rejectsOnce(full(ending(0, 'just'), ending(-9, 'long'), ending(1, 'open')))
      .resolves({});
    await expect(take()).resolves.toBeDefined();
    expect(expressions()).toEqual(['ADD', 'DELETE', 'ADD']);
    expect(sent()[1]?.['ExpressionAttributeValues']).toMatchObject({
      ':places': new Set([ending(0, 'just'), ending(-9, 'long')]),
    });
  });

  test('says whether somebody had asked for a count before, also when it has given places back itself.', async () => {
    for (const asked of [undefined, true]) {
      store
        .on(UpdateCommand)
        .rejectsOnce(full(ending(0)))
        .resolvesOnce({ Attributes: { ...Key, held: new Set([ending(0)]), ...(asked && { recount: true }) } })
        .resolves({ Attributes: { ...Key, recount: true } });
      expect((await take(1))?.recount).toBe(asked);
      store.reset();
    }
  });

  test('is refused when others were faster with the places that came back.', async () => {
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
    ['when it gives places back', 1],
    ['when it tries again', 2],
  ])('fails as the store does %s: that is no refusal.', async (_, after) => {
    const fault = new Error('throttled');
    const behaviour = store.on(UpdateCommand);
    if (after > 0) behaviour.rejectsOnce(full(ending(0)));
    if (after > 1) behaviour.resolvesOnce({});
    behaviour.rejects(fault);
    await expect(take(1)).rejects.toBe(fault);
  });
});

describe('Giving places back', () => {
  test('is one write, which needs the first of them to be taken, and tells how it was before.', async () => {
    store.on(UpdateCommand).resolves({ Attributes: { ...Key, held: new Set([name]) } });
    await expect(givePlacesBack(owner, new Set([name, ending(0)]))).resolves.toEqual({ held: new Set([name]) });
    expect(onlyCommand()).toMatchObject({
      Key,
      UpdateExpression: 'DELETE held :places SET recount = :true',
      ConditionExpression: 'contains(held, :first)',
      ReturnValues: 'ALL_OLD',
    });
    expect(values()).toEqual({ ':places': new Set([name, ending(0)]), ':first': name, ':true': true });
  });

  test('twice is no fault, and told.', async () => {
    store.on(UpdateCommand).rejects(conditionFailed());
    await expect(givePlacesBack(owner, new Set([name]))).resolves.toBeUndefined();
  });

  test('of none asks the store nothing.', async () => {
    await expect(givePlacesBack(owner, new Set())).resolves.toBeUndefined();
    expect(store).not.toHaveReceivedAnyCommand();
  });
});

describe('Counting places', () => {
  test('is one write, from which on whoever changes them has to ask for the next count, and numbers it.', async () => {
    store.on(UpdateCommand).resolves({ Attributes: { ...Key, held: new Set(['a', 'b']), counts: 7 } });
    await expect(countPlaces(owner, 1_700_086_400)).resolves.toEqual({ taken: 2, count: 7 });
    expect(onlyCommand()).toMatchObject({
      Key,
      UpdateExpression: 'SET #ttl = if_not_exists(#ttl, :ttl) REMOVE recount ADD counts :one',
      ExpressionAttributeValues: { ':ttl': 1_700_086_400 },
      ReturnValues: 'ALL_NEW',
    });
  });

  test('finds none when the last has been given back.', async () => {
    store.on(UpdateCommand).resolves({ Attributes: { ...Key, counts: 8 } });
    await expect(countPlaces(owner, 1_700_086_400)).resolves.toEqual({ taken: 0, count: 8 });
  });
});

test.each([
  [true, Key],
  [false, { channel: 'job#x', connectionId: 'socket-1' }],
  [false, { channel: 'mqtt#client1', connectionId: 'client1-1 topic' }],
])('That an item counts places is %s of %j.', (counts, item) => {
  expect(countsPlaces(item)).toBe(counts);
});
