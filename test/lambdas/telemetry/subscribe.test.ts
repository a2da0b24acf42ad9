import { DeleteCommand, GetCommand, PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { fleetKey } from '../../../data/fleet/fleet-key';
import { handler } from '../../../lambdas/telemetry/subscribe.lambda';
import { acme, id, rival } from '../../domain/fixtures/samples';
import { lambda, snapshotRequests } from '../../data/fixtures/snapshot-function';
import { store } from '../../data/fixtures/store';
import { givenPartner, refused } from '../fixtures/actions';
import { sendMessage, newSocket } from '../fixtures/socket';
import { deviceItem, later, partnerSession } from '../fixtures/telemetry';
import { storeOnEngine } from '../../data/fixtures/engine';
import '../fixtures/log';
import { handler as unsubscribe } from '../../../lambdas/telemetry/unsubscribe.lambda';

/** When every instance delivers to a first follower, in ms (`lambdas/telemetry/followed-group.ts`). */
const NOTICED_AFTER_MS = 750;

describe('subscribe', () => {
  test.each([{ deviceId: id('device') }, { deviceGroupId: id('group') }])(
    'follows %j and confirms it',
    async (named) => {
      const socket = givenPartner();
      expect(await sendMessage(handler, socket, { action: 'subscribe', ...named, id: 1 })).toEqual({
        type: 'subscribed',
        ...named,
        id: 1,
      });
      expect(store).toHaveReceivedCommandWith(PutCommand, {
        Item: expect.objectContaining({
          channel: `telemetry#${Object.values(named)[0]}`,
          connectionId: socket,
          bufferingSince: expect.any(Number) as number,
        }) as object,
      });
      expect(snapshotRequests()).toEqual([
        {
          kind: 'subscription',
          connectionId: socket,
          followed: Object.values(named)[0],
          waiting: storedItem()?.['waiting'] as unknown,
        },
      ]);
      expect(storedItem()?.['waiting']).toMatch(/^[0-9a-f-]{36}$/);
    },
  );

  const storedItem = () => store.commandCalls(PutCommand)[0]?.args[0].input.Item;

  test('with batch stores it and confirms it', async () => {
    const message = { action: 'subscribe', deviceGroupId: id('group'), batch: true };
    expect(await sendMessage(handler, givenPartner(), message)).toEqual({
      type: 'subscribed',
      deviceGroupId: id('group'),
      batch: true,
    });
    expect(storedItem()).toHaveProperty('batch', true);
  });

  test.each([{}, { batch: false }])('with %j stores and says nothing of batches', async (asked) => {
    const message = { action: 'subscribe', deviceId: id('device'), ...asked };
    expect(await sendMessage(handler, givenPartner(), message)).toEqual({
      type: 'subscribed',
      deviceId: id('device'),
    });
    expect(storedItem()).not.toHaveProperty('batch');
  });

  test.each([null, 'true', 1, []])('does not follow with batch %j, which is no boolean', async (batch) => {
    const message = { action: 'subscribe', deviceId: id('device'), batch };
    expect(await sendMessage(handler, givenPartner(), message)).toEqual(
      refused('invalid_request', { path: 'batch', message: 'must be true or false' }),
    );
    expect(store).not.toHaveReceivedCommand(PutCommand);
  });

  test('is noted after it is stored, for as long as new tokens can make the socket last', async () => {
    const socket = givenPartner();
    await sendMessage(handler, socket, { action: 'subscribe', deviceId: id('device') });
    const writes = store.calls().map(({ args: [command] }) => command);
    const isWrite = (command: object) => command instanceof PutCommand || command instanceof UpdateCommand;
    expect(writes.filter(isWrite).map(({ input }) => input)).toMatchObject([
      { TableName: 'connections', Item: { connectionId: socket } },
      {
        TableName: 'fleet',
        Key: fleetKey(acme, id('device')),
        ExpressionAttributeValues: { ':socketsUntil': partnerSession().openedAt + 7200 },
      },
    ]);
  });

  test.each([{ deviceId: id('device') }, { deviceGroupId: id('group') }])(
    'to %j, which is followed already, is confirmed at once',
    async (named) => {
      store.on(UpdateCommand, { TableName: 'fleet' }).resolves({ Attributes: { socketsUntil: later } });
      const began = performance.now();
      await sendMessage(handler, givenPartner(), { action: 'subscribe', ...named });
      expect(performance.now() - began).toBeLessThan(NOTICED_AFTER_MS);
      expect(snapshotRequests()).toHaveLength(1);
      expect(store).toHaveReceivedCommandTimes(UpdateCommand, 1);
    },
  );

  test('to a device that nobody followed is noted in its group too, and confirmed once every instance has noticed', async () => {
    const Attributes = deviceItem(id('device'));
    store.on(UpdateCommand, { TableName: 'fleet' }).resolves({ Attributes });
    const socket = givenPartner();
    const began = performance.now();
    await sendMessage(handler, socket, { action: 'subscribe', deviceId: id('device') });
    // A timer may fire a millisecond early.
    expect(performance.now() - began).toBeGreaterThanOrEqual(NOTICED_AFTER_MS - 1);
    const updates = store.commandCalls(UpdateCommand, { TableName: 'fleet' });
    expect(updates.map(({ args: [{ input }] }) => input)).toMatchObject([
      { Key: fleetKey(acme, id('device')) },
      { Key: fleetKey(acme, id('group')), UpdateExpression: 'SET #membersFollowedAt = :membersFollowedAt' },
    ]);
    expect(snapshotRequests()).toHaveLength(1);
  });

  test('does not follow when nobody would know of it', async () => {
    const socket = givenPartner();
    store.on(UpdateCommand, { TableName: 'fleet' }).rejects(new Error('throttled'));
    const message = { action: 'subscribe', deviceId: id('device') };
    expect(await sendMessage(handler, socket, message)).toMatchObject({ type: 'error', code: 'internal_error' });
    expect(store).toHaveReceivedCommandTimes(DeleteCommand, 1);
    expect(snapshotRequests()).toEqual([]);
  });

  test('does not follow when the snapshot cannot be requested', async () => {
    const socket = givenPartner();
    lambda.rejects(new Error('Rate Exceeded.'));
    const message = { action: 'subscribe', deviceId: id('device') };
    expect(await sendMessage(handler, socket, message)).toMatchObject({ type: 'error', code: 'internal_error' });
    expect(store).toHaveReceivedCommandWith(DeleteCommand, {
      Key: { channel: `telemetry#${id('device')}`, connectionId: socket },
    });
  });

  const foreign = (path: string) => refused('forbidden', { path, message: "is not your organisation's" });
  test.each([
    ["another organisation's device", { deviceId: id('device', rival) }, foreign('deviceId')],
    ["another organisation's group", { deviceGroupId: id('group', rival) }, foreign('deviceGroupId')],
    ['a job', { deviceId: id('job') }, refused('resource_not_found')],
    ['a device in place of a group', { deviceGroupId: id('device') }, refused('device_group_not_found')],
  ] as const)('does not follow %s', async (_, named, answered) => {
    expect(await sendMessage(handler, givenPartner(), { action: 'subscribe', ...named })).toEqual(answered);
    expect(store).not.toHaveReceivedCommand(PutCommand);
    expect(snapshotRequests()).toEqual([]);
  });

  test('does not follow a video stream, which has no telemetry', async () => {
    const stream = { kind: 'stream', streamId: id('stream'), deviceId: id('device'), videoStream: 'x' };
    store.on(GetCommand, { TableName: 'fleet' }).resolves({ Item: stream });
    const message = { action: 'subscribe', deviceId: id('stream') };
    expect(await sendMessage(handler, givenPartner(), message)).toMatchObject({ code: 'resource_not_found' });
  });
});

describe('Failed subscribe', () => {
  const engine = storeOnEngine('connections', 'fleet');
  const channel = `telemetry#${id('device')}`;
  const message = { action: 'subscribe', deviceId: id('device') };
  /** What is done while the subscription waits, before it fails. */
  type Meanwhile = (connectionId: string) => Promise<unknown>;

  /** A socket with its session. */
  async function givenSocket(): Promise<string> {
    const connectionId = newSocket();
    await engine.put('fleet', { ...fleetKey(acme, id('device')), ...deviceItem(id('device')) });
    const session = { ...partnerSession({ connectionId }), channel: `session#${connectionId}` };
    await engine.put('connections', session);
    return connectionId;
  }
  const subscriptionOf = (connectionId: string) => engine.get('connections', { channel, connectionId });

  /** How a subscription fails once it is stored. */
  const failures: Readonly<Record<string, (meanwhile: () => Promise<unknown>) => void>> = {
    'nobody would know of it': (meanwhile) => {
      store.on(UpdateCommand, { TableName: 'fleet' }).callsFake(async () => {
        await meanwhile();
        throw new Error('throttled');
      });
    },
    'its snapshot cannot be requested': (meanwhile) => {
      lambda.callsFake(async () => {
        await meanwhile();
        throw new Error('Rate Exceeded.');
      });
    },
  };

  describe.each(Object.entries(failures))('a subscription that fails since %s', (_, fail) => {
    const subscribe = async (connectionId: string, meanwhile: Meanwhile = () => Promise.resolve()) => {
      fail(() => meanwhile(connectionId));
      expect(await sendMessage(handler, connectionId, message)).toMatchObject({ code: 'internal_error' });
    };
    const earlier = {
      sentSequences: { [id('device')]: 7 },
      waiting: 'before',
      openedAt: 1,
      expiresAt: 2,
      socketId: 's',
    };

    test('leaves none where there was none', async () => {
      const connectionId = await givenSocket();
      await subscribe(connectionId);
      expect(await subscriptionOf(connectionId)).toBeUndefined();
    });

    test.each<[string, object]>([
      ['follows', {}],
      ['follows in batches', { batch: true }],
      ['waits for its snapshot', { bufferingSince: 3, buffered: [{ text: 'one', sequence: 1 }] }],
    ])('leaves the earlier one as it was, which %s', async (__, state) => {
      const connectionId = await givenSocket();
      const item = { channel, connectionId, ...earlier, ...state };
      await engine.put('connections', item);
      await subscribe(connectionId);
      expect(await subscriptionOf(connectionId)).toEqual(item);
    });

    test.each<[string, Meanwhile, object | undefined]>([
      [
        'one of a later message',
        (connectionId) => engine.put('connections', { channel, connectionId, waiting: 'later' }),
        { waiting: 'later' },
      ],
      [
        'one that has missed something, so that its socket is closed',
        async (connectionId) => {
          const found = await subscriptionOf(connectionId);
          await engine.put('connections', { ...found, buffered: [{ text: 'one', sequence: 1 }] });
        },
        { bufferingSince: expect.any(Number) as number, buffered: [{ text: 'one' }] },
      ],
    ])('leaves %s', async (__, meanwhile, expected) => {
      const connectionId = await givenSocket();
      await engine.put('connections', { channel, connectionId, ...earlier });
      await subscribe(connectionId, meanwhile);
      expect(await subscriptionOf(connectionId)).toMatchObject(expected ?? {});
    });
  });
});

describe('Unsubscribe', () => {
  test('unsubscribe deletes the subscription without reading it', async () => {
    const socket = givenPartner();
    const message = { action: 'unsubscribe', deviceGroupId: id('group') };
    expect(await sendMessage(unsubscribe, socket, message)).toEqual({
      type: 'unsubscribed',
      deviceGroupId: id('group'),
    });
    expect(store).toHaveReceivedCommandWith(DeleteCommand, {
      Key: { channel: `telemetry#${id('group')}`, connectionId: socket },
    });
  });

  test('unsubscribe with batch is refused by its name, and deletes nothing', async () => {
    const message = { action: 'unsubscribe', deviceId: id('device'), batch: true };
    expect(await sendMessage(unsubscribe, givenPartner(), message)).toEqual(
      refused('invalid_request', { path: 'batch', message: 'unknown field' }),
    );
    expect(store).not.toHaveReceivedCommand(DeleteCommand);
  });
});
