import { DeleteCommand, PutCommand, UpdateCommand, ScanCommand, BatchWriteCommand } from '@aws-sdk/lib-dynamodb';
import {
  addConnection,
  followedResource,
  findConnection,
  removeConnection,
  connectionExists,
  releaseConnectionSeats,
  takeConnectionSeat,
} from '../../../data/channels/connections';
import { channelKey } from '../../../data/store/channel-key';
import { id } from '../../domain/fixtures/samples';
import { queue, partnerSession, viewerSession } from '../../lambdas/fixtures/telemetry';
import { storeOnEngine } from '../fixtures/engine';
import { connection } from '../fixtures/sockets';
import { onlyCommand, store, givenPages, sent } from '../fixtures/store';
import { scanConnections } from '../../../data/channels/connections-scan';
import { shareSeats, takeSeat } from '../../../data/store/seats';
import { followDevice, openSession } from '../../../data/channels/sessions';
import { recordSubscription } from '../../../data/channels/subscriptions';

const now = 1795775400;

describe('Connections', () => {
  const engine = storeOnEngine('connections');
  const added = { ...connection({ openedAt: now, expiresAt: now + 3600 }), clientId: 'client1' };
  /** It names the longest end that the connection can have, whatever its token's. */
  const seat = `${now + 7200} ${now} socket-1`;
  const another = `${now + 1} ${now} other`;
  const key = { channel: 'client#client1', connectionId: 'client#client1' };
  const seats = (...taken: string[]) => ({ ...key, ...(taken.length > 0 && { seats: new Set(taken) }) });
  const changed = (...taken: string[]) => ({ ...seats(...taken), recount: true });
  const fault = new Error('throttled');
  /** What the store was sent, in order: the kind of write and the item. */
  const done = () =>
    store.calls().map(({ args: [command] }) => {
      const { Key, Item } = command.input as { Key?: { channel: string }; Item?: { channel: string } };
      return `${command.constructor.name} ${(Key ?? Item)?.channel}`;
    });
  /** A write that is done, after which another handshake takes a seat. */
  const thenTaken = async (input: object) => {
    const answer = await engine.answers('UpdateCommand')(input);
    await engine.put('connections', seats(another));
    return answer;
  };

  describe('addConnection', () => {
    test('takes a seat of the client, then stores the connection as waiting for its snapshot', async () => {
      await engine.put('connections', seats(another));
      await addConnection(added, 2, now);
      expect(await engine.get('connections', key)).toEqual({ ...changed(another, seat), ttl: now + 86_400 });
      const stored = { ...added, bufferingSince: now, socketId: 'socket-1', ttl: now + 7200 + 3600 };
      expect(await engine.get('connections', added)).toEqual(stored);
      expect(done()).toEqual(['UpdateCommand client#client1', `PutCommand ${added.channel}`]);
    });

    test('is refused when all seats are taken, and stores nothing', async () => {
      await engine.put('connections', seats(another));
      await expect(addConnection(added, 1, now)).rejects.toMatchObject({ code: 'too_many_requests' });
      expect(await engine.all('connections')).toEqual([seats(another)]);
      expect(done()).toEqual(['UpdateCommand client#client1']);
    });

    test('releases the seat when the connection cannot be stored, since no $disconnect follows', async () => {
      store.on(PutCommand).rejects(fault);
      await expect(addConnection(added, 50, now)).rejects.toBe(fault);
      expect(await engine.all('connections')).toEqual([{ ...changed(), ttl: now + 86_400 }]);
    });

    test('passes on errors of DynamoDB', async () => {
      store.on(UpdateCommand).rejects(fault);
      await expect(addConnection(added, 1, now)).rejects.toBe(fault);
    });
  });

  describe('The seat of a client', () => {
    test('is refused when concurrent handshakes take the released seats', async () => {
      const answer = engine.answers('UpdateCommand');
      store.on(UpdateCommand).callsFakeOnce(answer).callsFakeOnce(thenTaken).callsFake(answer);
      await engine.put('connections', seats(`${now} 1 just`));
      await expect(takeConnectionSeat(added, 1, now)).rejects.toMatchObject({ code: 'too_many_requests' });
      expect(await engine.all('connections')).toEqual([seats(another)]);
    });

    test('is released together with others by one write, as it was found', async () => {
      const holders = [1, 2].map((number) => ({ ...added, connectionId: `socket-${number}` }));
      const taken = holders.map(({ connectionId }) => `${added.expiresAt} ${now} ${connectionId}`);
      await engine.put('connections', seats(...taken, another));
      await releaseConnectionSeats('client1', holders);
      expect(await engine.all('connections')).toEqual([changed(another)]);
      expect(store.calls()).toHaveLength(1);
    });
  });

  describe('removeConnection', () => {
    test.each([60, 3600, 7200])(
      'releases the same seat for a connection that was read before its token was renewed (%d s), then deletes the item',
      async (lifetime) => {
        await engine.put('connections', seats(seat, another), added);
        await removeConnection({ ...added, expiresAt: now + lifetime });
        expect(await engine.all('connections')).toEqual([changed(another)]);
        expect(done()).toEqual(['UpdateCommand client#client1', `DeleteCommand ${added.channel}`]);
      },
    );

    test('deletes nothing when the seat cannot be released, so that a retry finds the item', async () => {
      store.on(UpdateCommand).rejects(fault);
      await expect(removeConnection(added)).rejects.toBe(fault);
      expect(store).not.toHaveReceivedCommand(DeleteCommand);
    });

    test('succeeds when the seat has been released already', async () => {
      await engine.put('connections', added);
      await expect(removeConnection(added)).resolves.toBeUndefined();
      expect(await engine.all('connections')).toEqual([]);
    });

    test('releases the seat of a viewer, then deletes all items of the connection', async () => {
      const { clientId: _, ...viewer } = connection({ shareCode: id('share'), session: true });
      const channels = ['session#socket-1', `telemetry#${id('device')}`, `share#${id('share')}`].sort();
      const owner = `seats#${id('share')}`;
      const viewers = { channel: owner, connectionId: owner };
      const taken = [`${viewer.expiresAt} ${viewer.openedAt} socket-1`, another];
      await engine.put('connections', { ...viewers, seats: new Set(taken) });
      await engine.put('connections', ...channels.map((channel) => ({ ...viewer, channel, socketId: 'socket-1' })));
      await removeConnection(viewer);
      expect(await engine.all('connections')).toEqual([{ ...viewers, seats: new Set([another]), recount: true }]);
      const [release, query, ...deletions] = done();
      expect([release, query]).toEqual([`UpdateCommand ${owner}`, 'QueryCommand undefined']);
      expect(deletions.sort()).toEqual(channels.map((channel) => `DeleteCommand ${channel}`));
      expect(queue.calls()).toHaveLength(1);
    });
  });

  test.each([
    [true, [added]],
    [false, [{ ...added, connectionId: 'socket-2' }]],
  ])('connectionExists returns %s by a consistent read', async (known, items) => {
    await engine.put('connections', ...items);
    await expect(connectionExists(added)).resolves.toBe(known);
    expect(onlyCommand()).toMatchObject({ ConsistentRead: true });
  });

  test('findConnection returns all items of a connection id, by the index', async () => {
    const items = ['session#socket-1', added.channel].map((channel) => ({ ...added, channel }));
    await engine.put('connections', ...items.map((item) => ({ ...item, socketId: 'socket-1' })));
    await engine.put('connections', { ...added, connectionId: 'socket-2', socketId: 'socket-2' });
    const found = await findConnection('socket-1');
    expect(found).toHaveLength(2);
    expect(found).toEqual(expect.arrayContaining(items));
    expect(onlyCommand()).toMatchObject({ IndexName: 'by-socket' });
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
});

describe('Connections scan', () => {
  const pages = async () => {
    const found = [];
    for await (const page of scanConnections()) found.push(page);
    return found;
  };
  const counting = (owner: string, more: object) => ({ channel: owner, connectionId: owner, ttl: 4e9, ...more });

  test('scanConnections yields connections and seat counts page by page', async () => {
    const first = connection();
    const waiting = {
      ...connection({ connectionId: 'socket-2' }),
      bufferingSince: 1795775400,
      buffered: [{ text: '{}' }],
    };
    const seats = `seats#${id('share')}`;
    const key = { channel: 'a', connectionId: 'b' };
    const startKeys = givenPages(store.on(ScanCommand), [
      {
        Items: [first, counting(seats, { seats: new Set(['1 1 a']), recount: true })],
        LastEvaluatedKey: key,
      },
      { Items: [waiting, counting('client#client1', { seats: new Set(['1 1 b']) })] },
    ]);
    const { buffered: _, ...follower } = waiting;
    await expect(pages()).resolves.toEqual([
      { connections: [first], counts: [{ owner: seats, shard: 0, seats: new Set(['1 1 a']), recount: true }] },
      { connections: [follower], counts: [{ owner: 'client#client1', shard: 0, seats: new Set(['1 1 b']) }] },
    ]);
    expect(sent()).toMatchObject([{ TableName: 'connections' }, { TableName: 'connections' }]);
    expect(startKeys).toEqual([undefined, key]);
  });

  test('scanConnections yields a seat count without seats, since a count may have been requested', async () => {
    store.on(ScanCommand).resolves({ Items: [counting('seats#x', { recount: true, counts: 7 })] });
    await expect(pages()).resolves.toEqual([
      { connections: [], counts: [{ owner: 'seats#x', shard: 0, seats: new Set(), recount: true }] },
    ]);
    expect(onlyCommand()['FilterExpression']).toContain(' OR attribute_exists(recount)');
  });

  test('scanConnections filters out MQTT subscriptions in DynamoDB', async () => {
    store.on(ScanCommand).resolves({});
    await expect(pages()).resolves.toEqual([{ connections: [], counts: [] }]);
    const subscription = { channel: 'mqtt#client1', connectionId: 'client1-1 topic', at: 1, subscribed: true, ttl: 2 };
    const named = String(onlyCommand()['FilterExpression']).match(/(?<=attribute_exists\()\w+/g) ?? [];
    expect(named).toEqual(['expiresAt', 'seats', 'recount']);
    expect(named.filter((name) => Object.hasOwn(subscription, name))).toEqual([]);
  });
});

describe('The index by socket', () => {
  const open = { openedAt: now, expiresAt: now + 3600 };

  /** What was written: items, and of updates the key and the values. */
  const written = () => [
    ...store.commandCalls(PutCommand).map(({ args: [{ input }] }) => input.Item),
    ...store
      .commandCalls(BatchWriteCommand)
      .flatMap(({ args: [{ input }] }) => input.RequestItems?.['connections'] ?? [])
      .map(({ PutRequest }) => PutRequest?.Item),
    ...store.commandCalls(UpdateCommand).map(({ args: [{ input }] }) => input as unknown as Record<string, unknown>),
  ];

  beforeEach(() => {
    store.resolves({});
  });

  test.each<[string, () => Promise<unknown>, string, number]>([
    ['a session', () => openSession(partnerSession()), 'partner-socket', 1],
    ['a viewer', () => openSession(viewerSession()), 'viewer-socket', 3],
    ['a subscription of a socket', () => followDevice(partnerSession(), 'device-1', now, 'one'), 'partner-socket', 1],
  ])('has every item of %s', async (_, write, socketId, items) => {
    await write();
    expect(written()).toEqual(Array(items).fill(expect.objectContaining({ socketId, connectionId: socketId })));
  });

  test('has a connection, but not its seat', async () => {
    await addConnection({ ...connection(open), clientId: 'client1' }, 50, now);
    const [item, seat, ...more] = written();
    expect(item).toMatchObject({ socketId: 'socket-1' });
    expect(JSON.stringify(seat)).not.toContain('socketId');
    expect(more).toEqual([]);
  });

  test.each<[string, () => Promise<unknown>]>([
    ['a seat of a client', () => takeConnectionSeat({ ...connection(open), clientId: 'client1' }, 50, now)],
    ['a seat of a viewer', () => takeSeat(shareSeats('share-1'), connection(open), { max: 10, ttl: now, now })],
    ['a subscription over MQTT', () => recordSubscription('client1', 'client1-1', 'a/JOB/STATUS', true, now * 1000)],
  ])('is not touched by %s', async (_, write) => {
    await write();
    expect(written()).toHaveLength(1);
    expect(JSON.stringify(written())).not.toContain('socketId');
  });
});
