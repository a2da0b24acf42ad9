import { channelKey } from '../../../data/connections/connections';
import { GetCommand, QueryCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import {
  followersOf,
  bufferMessages,
  readBuffered,
  startFollowing,
  telemetryFollowersOf,
} from '../../../data/connections/followers';
import { id } from '../../domain/fixtures/samples';
import { connection } from '../fixtures/sockets';
import { conditionFailed, givenPages, onlyCommand, sent, store, values } from '../fixtures/store';

const own = connection();
const Key = { channel: own.channel, connectionId: own.connectionId };
const change = { text: '{"sequence":4}' };
const end = { text: '{"sequence":5}', endsChannel: true };

describe('followersOf', () => {
  const channel = { kind: 'job', id: id('job') } as const;
  const pages = async (found = followersOf(channel)) => {
    const all = [];
    for await (const page of found) all.push(page);
    return all;
  };

  test('returns a few followers by one query, with waiting ones and sent sequences', async () => {
    const waiting = { ...own, bufferingSince: 1795775400 };
    const caughtUp = { ...own, connectionId: 'socket-2', sentSequences: { 'job.status': 3 } };
    store.on(QueryCommand).resolves({ Items: [{ ...waiting, ttl: 1, buffered: [change] }, caughtUp] });
    await expect(pages()).resolves.toEqual([[waiting, caughtUp]]);
    expect(onlyCommand()).toEqual({
      TableName: 'connections',
      KeyConditionExpression: 'channel = :channel',
      ExpressionAttributeValues: { ':channel': channelKey(channel) },
      ConsistentRead: true,
    });
  });

  test('queries each page only when the one before has been processed', async () => {
    const key = { channel: own.channel, connectionId: 'socket-1' };
    const startKeys = givenPages(store.on(QueryCommand), [
      { Items: [own], LastEvaluatedKey: key },
      { LastEvaluatedKey: key },
      { Items: [{ ...own, connectionId: 'socket-2' }] },
    ]);
    const commandCounts: number[] = [];
    for await (const _page of followersOf(channel)) commandCounts.push(sent().length);
    expect(commandCounts).toEqual([1, 2, 3]);
    expect(startKeys).toEqual([undefined, key, key]);
  });

  test('returns the followers of a device or a group for telemetry', async () => {
    store.on(QueryCommand).resolves({});
    await pages(telemetryFollowersOf(id('device')));
    expect(values()).toEqual({ ':channel': `telemetry#${id('device')}` });
  });

  test('skips a follower that cannot be parsed, and logs an error', async () => {
    const error = jest.spyOn(console, 'error').mockImplementation();
    store.on(QueryCommand).resolves({ Items: [{ ...own, expiresAt: 'soon' }, own] });
    expect((await pages()).flat()).toEqual([own]);
    expect(error).toHaveBeenCalledTimes(1);
  });
});

describe('bufferMessages', () => {
  test('appends by one write, on condition that the follower waits', async () => {
    store.on(UpdateCommand).resolves({});
    await expect(bufferMessages(own, [change, end])).resolves.toBeUndefined();
    expect(onlyCommand()).toEqual({
      TableName: 'connections',
      Key,
      UpdateExpression: 'SET buffered = list_append(if_not_exists(buffered, :none), :messages)',
      ConditionExpression: 'attribute_exists(bufferingSince)',
      ExpressionAttributeValues: { ':none': [], ':messages': [change, end] },
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
    });
  });

  test.each([
    [{ 'job.status': 3 }, { ...own, sentSequences: { 'job.status': 3 } }],
    [{}, own],
    [{}, undefined],
  ])(
    'buffers nothing for a follower that does not wait, and returns its sequences %j',
    async (sentSequences, found) => {
      store.on(UpdateCommand).rejects(conditionFailed(found));
      await expect(bufferMessages(own, [change])).resolves.toEqual(sentSequences);
    },
  );

  test('is read again by a consistent read', async () => {
    store.on(GetCommand).resolves({ Item: { ...own, buffered: [change, end] } });
    await expect(readBuffered(own)).resolves.toEqual([change, end]);
    expect(onlyCommand()).toEqual({ TableName: 'connections', Key, ConsistentRead: true });
  });

  test.each([
    ['is buffered', { Item: own }],
    ['exists of a deleted follower', {}],
  ])('returns none when nothing %s', async (_, found) => {
    store.on(GetCommand).resolves(found);
    await expect(readBuffered(own)).resolves.toEqual([]);
  });
});

describe('startFollowing', () => {
  const sentSequences = { [id('device')]: 7 };

  test('ends the buffering by one write, on condition that the follower exists and nothing more is buffered', async () => {
    store.on(UpdateCommand).resolves({});
    await expect(startFollowing(own, sentSequences, 2)).resolves.toBeUndefined();
    expect(onlyCommand()).toEqual({
      TableName: 'connections',
      Key,
      UpdateExpression: 'SET sentSequences = :sentSequences REMOVE bufferingSince, buffered',
      ConditionExpression:
        'attribute_exists(connectionId) AND (attribute_not_exists(buffered) OR size(buffered) <= :count)',
      ExpressionAttributeValues: { ':count': 2, ':sentSequences': sentSequences },
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
    });
  });

  test('returns the buffered messages when there are more than were sent', async () => {
    store.on(UpdateCommand).rejects(conditionFailed({ ...own, buffered: [change, end] }));
    await expect(startFollowing(own, sentSequences, 1)).resolves.toEqual([change, end]);
  });

  test('does not recreate a deleted follower', async () => {
    store.on(UpdateCommand).rejects(conditionFailed());
    await expect(startFollowing(own, sentSequences, 0)).resolves.toBeUndefined();
  });

  test('stores no sequences for more than 100 devices', async () => {
    store.on(UpdateCommand).resolves({});
    const names = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, index) => [`device-${index}`, 1]));
    await startFollowing(own, names(100), 0);
    await startFollowing(own, names(101), 0);
    expect(sent()).toMatchObject([
      { ExpressionAttributeValues: { ':sentSequences': names(100) } },
      { UpdateExpression: 'REMOVE bufferingSince, buffered' },
    ]);
    expect(sent()[1]?.['ExpressionAttributeValues']).toEqual({ ':count': 0 });
  });

  test('passes on errors of DynamoDB', async () => {
    const fault = new Error('throttled');
    store.on(UpdateCommand).rejects(fault);
    await expect(startFollowing(own, sentSequences, 0)).rejects.toBe(fault);
  });
});
