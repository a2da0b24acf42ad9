import { channelKey } from '../../../data/connections/connections';
import { GetCommand, QueryCommand, UpdateCommand } from '../../../data/store/document-client';
import {
  followersOf,
  holdBack,
  readHeldBack,
  startFollowing,
  telemetryFollowersOf,
} from '../../../data/connections/followers';
import { id } from '../../domain/fixtures/samples';
import { connection } from '../fixtures/sockets';
import { conditionFailed, onlyCommand, sent, store, values } from '../fixtures/store';

const own = connection();
const Key = { channel: own.channel, connectionId: own.connectionId };
const change = { text: '{"sequence":4}' };
const end = { text: '{"sequence":5}', last: true };

describe('Those who follow a channel', () => {
  const channel = { kind: 'job', id: id('job') } as const;
  const pages = async (found = followersOf(channel)) => {
    const all = [];
    for await (const page of found) all.push(page);
    return all;
  };

  test('come from one query while there are few, those that wait for the state and what each was told included.', async () => {
    const waiting = { ...own, waits: 1795775400 };
    const told = { ...own, connectionId: 'socket-2', told: { 'job.status': 3 } };
    store.on(QueryCommand).resolves({ Items: [{ ...waiting, ttl: 1, held: [change] }, told] });
    await expect(pages()).resolves.toEqual([[waiting, told]]);
    expect(onlyCommand()).toEqual({
      TableName: 'connections',
      KeyConditionExpression: 'channel = :channel',
      ExpressionAttributeValues: { ':channel': channelKey(channel) },
      ConsistentRead: true,
    });
  });

  test('come page by page when there are many, each asked for when the one before is done with.', async () => {
    const key = { channel: own.channel, connectionId: 'socket-1' };
    store
      .on(QueryCommand)
      .resolvesOnce({ Items: [own], LastEvaluatedKey: key })
      .resolvesOnce({ LastEvaluatedKey: key })
      .resolves({ Items: [{ ...own, connectionId: 'socket-2' }] });
    const asked: number[] = [];
    for await (const _page of followersOf(channel)) asked.push(sent().length);
    expect(asked).toEqual([1, 2, 3]);
    expect(sent().map((query) => query['ExclusiveStartKey'])).toEqual([undefined, key, key]);
  });

  test('are those of a device or a group when it is telemetry.', async () => {
    store.on(QueryCommand).resolves({});
    await pages(telemetryFollowersOf(id('device')));
    expect(values()).toEqual({ ':channel': `telemetry#${id('device')}` });
  });

  test('are told although one of them can not be read, which is an error in the log.', async () => {
    const error = jest.spyOn(console, 'error').mockImplementation();
    store.on(QueryCommand).resolves({ Items: [{ ...own, expiresAt: 'soon' }, own] });
    expect((await pages()).flat()).toEqual([own]);
    expect(error).toHaveBeenCalledTimes(1);
  });
});

describe('Holding messages back', () => {
  test('is one write, behind those that are held back already, only while the follower waits.', async () => {
    store.on(UpdateCommand).resolves({});
    await expect(holdBack(own, [change, end])).resolves.toBeUndefined();
    expect(onlyCommand()).toEqual({
      TableName: 'connections',
      Key,
      UpdateExpression: 'SET held = list_append(if_not_exists(held, :none), :messages)',
      ConditionExpression: 'attribute_exists(waits)',
      ExpressionAttributeValues: { ':none': [], ':messages': [change, end] },
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
    });
  });

  test.each([
    [{ 'job.status': 3 }, { ...own, told: { 'job.status': 3 } }],
    [{}, own],
    [{}, undefined],
  ])(
    'is not done for one that does not wait any more, who is to be told at once what is news to %j.',
    async (told, found) => {
      store.on(UpdateCommand).rejects(conditionFailed(found));
      await expect(holdBack(own, [change])).resolves.toEqual(told);
    },
  );

  test('is read back as of now.', async () => {
    store.on(GetCommand).resolves({ Item: { ...own, held: [change, end] } });
    await expect(readHeldBack(own)).resolves.toEqual([change, end]);
    expect(onlyCommand()).toEqual({ TableName: 'connections', Key, ConsistentRead: true });
  });

  test.each([
    ['has been held back', { Item: own }],
    ['is there of one that has been forgotten', {}],
  ])('finds nothing when nothing %s.', async (_, found) => {
    store.on(GetCommand).resolves(found);
    await expect(readHeldBack(own)).resolves.toEqual([]);
  });
});

describe('A follower', () => {
  const told = { [id('device')]: 7 };

  test('hears at once from one write on, which needs it to be there and nothing more to be held back.', async () => {
    store.on(UpdateCommand).resolves({});
    await expect(startFollowing(own, told, 2)).resolves.toBeUndefined();
    expect(onlyCommand()).toEqual({
      TableName: 'connections',
      Key,
      UpdateExpression: 'SET told = :told REMOVE waits, held',
      ConditionExpression: 'attribute_exists(connectionId) AND (attribute_not_exists(held) OR size(held) <= :count)',
      ExpressionAttributeValues: { ':count': 2, ':told': told },
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
    });
  });

  test('does not yet when more is held back than it was told; then that comes with the refusal.', async () => {
    store.on(UpdateCommand).rejects(conditionFailed({ ...own, held: [change, end] }));
    await expect(startFollowing(own, told, 1)).resolves.toEqual([change, end]);
  });

  test('that has been forgotten is not made anew, and is told no more.', async () => {
    store.on(UpdateCommand).rejects(conditionFailed());
    await expect(startFollowing(own, told, 0)).resolves.toBeUndefined();
  });

  test('of more devices than its item should name is not noted what it was told.', async () => {
    store.on(UpdateCommand).resolves({});
    const names = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, index) => [`device-${index}`, 1]));
    await startFollowing(own, names(100), 0);
    await startFollowing(own, names(101), 0);
    expect(sent()).toMatchObject([
      { ExpressionAttributeValues: { ':told': names(100) } },
      { UpdateExpression: 'REMOVE waits, held' },
    ]);
    expect(sent()[1]?.['ExpressionAttributeValues']).toEqual({ ':count': 0 });
  });

  test('fails to be let when the store does.', async () => {
    const fault = new Error('throttled');
    store.on(UpdateCommand).rejects(fault);
    await expect(startFollowing(own, told, 0)).rejects.toBe(fault);
  });
});
