import {
  addConnection,
  allConnections,
  channelKey,
  channelOf,
  connectionFromImage,
  findConnection,
  followersOf,
  forgetConnection,
  isKnown,
  startFollowing,
} from '../../data/connections';
import { DeleteCommand, GetCommand, PutCommand, QueryCommand, ScanCommand, UpdateCommand } from '../../data/documents';
import { id } from '../domain/fixtures/samples';
import { connection } from './fixtures/sockets';
import { conditionFailed, onlyCommand, sent, store } from './fixtures/store';

const now = 1795775400;
const added = { ...connection({ expiresAt: now + 3600 }), clientId: 'client1' };
const slot = `${now + 3600} socket-1`;
const slotsKey = { channel: 'client#client1', connectionId: 'slots' };

describe('Adding a connection', () => {
  test('takes one of its client’s places by one conditional write, and then notes what it follows.', async () => {
    store.onAnyCommand().resolves({});
    await addConnection(added, 50, now);
    expect(sent()).toEqual([
      {
        TableName: 'connections',
        Key: slotsKey,
        UpdateExpression: 'ADD held :slot',
        ConditionExpression: 'attribute_not_exists(held) OR size(held) < :max OR contains(held, :name)',
        ExpressionAttributeValues: { ':slot': new Set([slot]), ':name': slot, ':max': 50 },
        ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
      },
      { TableName: 'connections', Item: { ...added, waits: true, ttl: added.expiresAt + 3600 } },
    ]);
  });

  test('is refused when all places are taken, and nothing is noted.', async () => {
    store.on(UpdateCommand).rejects(conditionFailed({ ...slotsKey, held: new Set([`${now + 1} other`]) }));
    await expect(addConnection(added, 1, now)).rejects.toMatchObject({ code: 'too_many_requests' });
    expect(store).not.toHaveReceivedCommand(PutCommand);
    expect(store).toHaveReceivedCommandTimes(UpdateCommand, 1);
  });

  test('gives back the places of connections that must have ended, and takes one then.', async () => {
    const held = new Set([`${now} just`, `${now - 9} long`, `${now + 1} open`]);
    store
      .on(UpdateCommand)
      .rejectsOnce(conditionFailed({ ...slotsKey, held }))
      .resolves({});
    await addConnection(added, 3, now);
    expect(sent().slice(1, -1)).toMatchObject([
      {
        Key: slotsKey,
        UpdateExpression: 'DELETE held :slots',
        ExpressionAttributeValues: { ':slots': new Set([`${now} just`, `${now - 9} long`]) },
      },
      { UpdateExpression: 'ADD held :slot' },
    ]);
    expect(store).toHaveReceivedCommandTimes(PutCommand, 1);
  });

  test('is refused when others were faster with the places that came back.', async () => {
    const full = conditionFailed({ ...slotsKey, held: new Set([`${now} just`]) });
    store.on(UpdateCommand).rejectsOnce(full).resolvesOnce({}).rejects(full);
    await expect(addConnection(added, 1, now)).rejects.toMatchObject({ code: 'too_many_requests' });
    expect(store).not.toHaveReceivedCommand(PutCommand);
  });

  test.each([
    ['at first', 0],
    ['when it gives places back', 1],
    ['when it tries again', 2],
  ])('fails as the store does %s: that is no refusal.', async (_, after) => {
    const fault = new Error('throttled');
    const full = conditionFailed({ ...slotsKey, held: new Set([`${now} just`]) });
    const behaviour = store.on(UpdateCommand);
    if (after > 0) behaviour.rejectsOnce(full);
    if (after > 1) behaviour.resolvesOnce({});
    behaviour.rejects(fault);
    await expect(addConnection(added, 1, now)).rejects.toBe(fault);
  });
});

describe('Forgetting a connection', () => {
  test('removes it and gives its place back, which does nothing the second time.', async () => {
    store.onAnyCommand().resolves({});
    await forgetConnection(added);
    expect(store).toHaveReceivedCommandWith(DeleteCommand, {
      TableName: 'connections',
      Key: { channel: added.channel, connectionId: 'socket-1' },
    });
    expect(store).toHaveReceivedCommandWith(UpdateCommand, {
      Key: slotsKey,
      UpdateExpression: 'DELETE held :slots',
      ExpressionAttributeValues: { ':slots': new Set([slot]) },
    });
    expect(sent()).toHaveLength(2);
  });
});

describe('A new connection', () => {
  test('hears of changes once it is let, if it is still there.', async () => {
    store.on(UpdateCommand).resolves({});
    await expect(startFollowing(added)).resolves.toBe(true);
    expect(onlyCommand()).toEqual({
      TableName: 'connections',
      Key: { channel: added.channel, connectionId: 'socket-1' },
      UpdateExpression: 'REMOVE waits',
      ConditionExpression: 'attribute_exists(connectionId)',
    });
  });

  test('is not made anew when it has been forgotten.', async () => {
    store.on(UpdateCommand).rejects(conditionFailed());
    await expect(startFollowing(added)).resolves.toBe(false);
  });

  test('fails to be let when the store does.', async () => {
    const fault = new Error('throttled');
    store.on(UpdateCommand).rejects(fault);
    await expect(startFollowing(added)).rejects.toBe(fault);
  });

  test.each([
    [true, { Item: added }],
    [false, {}],
  ])('is known: %s, as the store knows it by now.', async (known, found) => {
    store.on(GetCommand).resolves(found);
    await expect(isKnown(added)).resolves.toBe(known);
    expect(onlyCommand()).toMatchObject({ ConsistentRead: true });
  });
});

describe('Those who follow a channel', () => {
  const channel = { kind: 'job', id: id('job') } as const;
  const pages = async () => {
    const found = [];
    for await (const page of followersOf(channel)) found.push(page);
    return found;
  };

  test('come from one query while there are few, without those that wait for their greeting.', async () => {
    store.on(QueryCommand).resolves({ Items: [{ ...added, ttl: 1 }] });
    await expect(pages()).resolves.toEqual([[added]]);
    expect(onlyCommand()).toEqual({
      TableName: 'connections',
      KeyConditionExpression: 'channel = :channel',
      FilterExpression: 'attribute_not_exists(waits)',
      ExpressionAttributeValues: { ':channel': channelKey(channel) },
      ConsistentRead: true,
    });
  });

  test('come page by page when there are many, each asked for when the one before is done with.', async () => {
    const key = { channel: added.channel, connectionId: 'socket-1' };
    store
      .on(QueryCommand)
      .resolvesOnce({ Items: [added], LastEvaluatedKey: key })
      .resolvesOnce({ LastEvaluatedKey: key })
      .resolves({ Items: [{ ...added, connectionId: 'socket-2' }] });
    const asked: number[] = [];
    for await (const _page of followersOf(channel)) asked.push(sent().length);
    expect(asked).toEqual([1, 2, 3]);
    expect(sent().map((query) => query['ExclusiveStartKey'])).toEqual([undefined, key, key]);
  });

  test('are an error when one of them can not be read.', async () => {
    store.on(QueryCommand).resolves({ Items: [{ ...added, expiresAt: 'soon' }] });
    await expect(pages()).rejects.toMatchObject({ name: '$ZodError' });
  });
});

test('All connections come page by page, without what else the table holds.', async () => {
  const key = { channel: 'a', connectionId: 'b' };
  store
    .on(ScanCommand)
    .resolvesOnce({ Items: [added], LastEvaluatedKey: key })
    .resolves({ Items: [added] });
  const found = [];
  for await (const page of allConnections()) found.push(...page);
  expect(found).toEqual([added, added]);
  expect(sent()).toMatchObject([
    { FilterExpression: 'attribute_exists(expiresAt) AND attribute_not_exists(waits)' },
    { ExclusiveStartKey: key },
  ]);
});

test('What a connection follows is found by its own id.', async () => {
  store.on(QueryCommand).resolves({ Items: [added] });
  await expect(findConnection('socket-1')).resolves.toEqual([added]);
  expect(onlyCommand()).toMatchObject({
    IndexName: 'by-connection',
    ExpressionAttributeValues: { ':connectionId': 'socket-1' },
  });
});

describe('The name of a channel', () => {
  test.each(['job', 'group', 'share'] as const)('of a %s is read as it was written.', (kind) => {
    const channel = { kind, id: id(kind) };
    expect(channelOf({ ...added, channel: channelKey(channel) })).toEqual(channel);
  });

  test.each(['device#x', 'job', 'job#', '#x', 'session#socket-1', 'telemetry#x'])('is none in %s.', (channel) => {
    expect(channelOf({ ...added, channel })).toBeUndefined();
  });
});

test.each([
  ['places', { ...slotsKey, held: new Set(['1 a']) }],
  ['a subscription', { channel: 'mqtt#client1', connectionId: 'client1-1 topic', at: 1, stands: true, ttl: 2 }],
])('An item of %s is no connection.', (_, image) => {
  expect(connectionFromImage(image)).toBeUndefined();
});
