import {
  addConnection,
  channelKey,
  followedResource,
  findConnection,
  removeConnection,
  connectionExists,
  releaseConnectionSeats,
  takeConnectionSeat,
} from '../../../data/connections/connections';
import { DeleteCommand, GetCommand, PutCommand, QueryCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { id } from '../../domain/fixtures/samples';
import { queue } from '../../lambdas/fixtures/telemetry';
import { connection } from '../fixtures/sockets';
import { conditionFailed, onlyCommand, sent, store } from '../fixtures/store';

const now = 1795775400;
const added = { ...connection({ openedAt: now, expiresAt: now + 3600 }), clientId: 'client1' };
/** It names the longest end that the connection can have, whatever its token's. */
const seat = `${now + 7200} ${now} socket-1`;
const seats = { channel: 'client#client1', connectionId: 'client#client1' };
const full = (...taken: string[]) => conditionFailed({ ...seats, seats: new Set(taken) });
/** What the store was sent, in order: the kind of write and the item. */
const done = () =>
  store.calls().map(({ args: [command] }) => {
    const { Key, Item } = command.input as { Key?: { channel: string }; Item?: { channel: string } };
    return `${command.constructor.name} ${(Key ?? Item)?.channel}`;
  });

beforeEach(() => {
  store.onAnyCommand().resolves({});
});

describe('addConnection', () => {
  test('takes a seat of the client, then stores the connection as waiting for its snapshot', async () => {
    await addConnection(added, 50, now);
    expect(sent()).toMatchObject([
      {
        Key: seats,
        UpdateExpression: expect.stringMatching(/^ADD seats :seat /) as string,
        ExpressionAttributeValues: { ':seat': new Set([seat]), ':max': 50, ':ttl': now + 86_400 },
      },
      { TableName: 'connections', Item: { ...added, bufferingSince: now, ttl: now + 7200 + 3600 } },
    ]);
  });

  test('is refused when all seats are taken, and stores nothing', async () => {
    store.on(UpdateCommand).rejects(full(`${now + 1} ${now} other`));
    await expect(addConnection(added, 1, now)).rejects.toMatchObject({ code: 'too_many_requests' });
    expect(store).not.toHaveReceivedCommand(PutCommand);
    expect(store).toHaveReceivedCommandTimes(UpdateCommand, 1);
  });

  test('releases the seat when the connection cannot be stored, since no $disconnect follows', async () => {
    const fault = new Error('throttled');
    store.on(PutCommand).rejects(fault);
    await expect(addConnection(added, 50, now)).rejects.toBe(fault);
    expect(sent()[2]).toMatchObject({
      Key: seats,
      UpdateExpression: expect.stringMatching(/^DELETE seats :released /) as string,
      ExpressionAttributeValues: { ':released': new Set([seat]) },
    });
  });

  test('passes on errors of DynamoDB', async () => {
    const fault = new Error('throttled');
    store.on(UpdateCommand).rejects(fault);
    await expect(addConnection(added, 1, now)).rejects.toBe(fault);
  });
});

describe('The seat of a client', () => {
  test('is refused when concurrent handshakes take the released seats', async () => {
    store
      .on(UpdateCommand)
      .rejectsOnce(full(`${now} 1 just`))
      .resolvesOnce({})
      .rejects(full(`${now + 1} 1 other`));
    await expect(takeConnectionSeat(added, 1, now)).rejects.toMatchObject({ code: 'too_many_requests' });
  });

  test('is released together with others by one write, as it was found', async () => {
    await releaseConnectionSeats(
      'client1',
      [1, 2].map((number) => ({ ...added, connectionId: `socket-${number}` })),
    );
    expect(onlyCommand()).toMatchObject({
      Key: seats,
      ExpressionAttributeValues: {
        ':released': new Set([1, 2].map((number) => `${added.expiresAt} ${now} socket-${number}`)),
      },
    });
  });
});

describe('removeConnection', () => {
  test('releases the seat before it deletes the item that names its owner', async () => {
    await removeConnection(added);
    expect(done()).toEqual(['UpdateCommand client#client1', `DeleteCommand ${added.channel}`]);
    expect(sent()[0]).toMatchObject({ ExpressionAttributeValues: { ':released': new Set([seat]) } });
  });

  test('releases the same seat for a connection that was read before its token was renewed', async () => {
    for (const expiresAt of [now + 60, now + 3600, now + 7200]) await removeConnection({ ...added, expiresAt });
    const released = store.commandCalls(UpdateCommand).map(({ args: [{ input }] }) => input.ExpressionAttributeValues);
    expect(released).toHaveLength(3);
    for (const values of released) expect(values).toMatchObject({ ':released': new Set([seat]) });
  });

  test('deletes nothing when the seat cannot be released, so that a retry finds the item', async () => {
    const fault = new Error('throttled');
    store.on(UpdateCommand).rejects(fault);
    await expect(removeConnection(added)).rejects.toBe(fault);
    expect(store).not.toHaveReceivedCommand(DeleteCommand);
  });

  test('succeeds when the seat has been released already', async () => {
    store.on(UpdateCommand).rejects(conditionFailed());
    await expect(removeConnection(added)).resolves.toBeUndefined();
  });

  test('releases the seat of a viewer, then deletes all items of the connection', async () => {
    const items = ['session#socket-1', `telemetry#${id('device')}`, `share#${id('share')}`];
    const { clientId: _, ...viewer } = connection({
      channel: items[2] as string,
      shareCode: id('share'),
      session: true,
    });
    store.on(QueryCommand).resolves({ Items: items.map((channel) => ({ ...viewer, channel })) });
    await removeConnection(viewer);
    expect(done()).toEqual([
      `UpdateCommand seats#${id('share')}`,
      'QueryCommand undefined',
      ...items.map((channel) => `DeleteCommand ${channel}`),
    ]);
    expect(queue.calls()).toHaveLength(1);
  });
});

test.each([
  [true, { Item: added }],
  [false, {}],
])('connectionExists returns %s by a consistent read', async (known, found) => {
  store.on(GetCommand).resolves(found);
  await expect(connectionExists(added)).resolves.toBe(known);
  expect(onlyCommand()).toMatchObject({ ConsistentRead: true });
});

test('findConnection returns all items of a connection id', async () => {
  store.on(QueryCommand).resolves({ Items: [added] });
  await expect(findConnection('socket-1')).resolves.toEqual([added]);
  expect(onlyCommand()).toMatchObject({
    IndexName: 'by-socket',
    ExpressionAttributeValues: { ':connectionId': 'socket-1' },
  });
});

describe('followedResource', () => {
  test.each(['job', 'group', 'share'] as const)('returns the %s of a channel key', (kind) => {
    const channel = { kind, id: id(kind) };
    expect(followedResource({ ...added, channel: channelKey(channel) })).toEqual(channel);
  });

  test.each(['dock#x', 'job', 'job#', '#x', 'session#socket-1', 'telemetry#x'])(
    'returns undefined for %s',
    (channel) => {
      expect(followedResource({ ...added, channel })).toBeUndefined();
    },
  );
});
