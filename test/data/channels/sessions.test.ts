import { BatchWriteCommand, DeleteCommand, GetCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import {
  DeleteConnectionCommand,
  InvalidRequestException,
  ListSubscriptionsCommand,
  RequestEntityTooLargeException,
  ThrottlingException,
} from '@aws-sdk/client-iot-data-plane';
import {
  findSession,
  followDevice,
  followedDevice,
  followedShare,
  isSession,
  openSession,
  sessionItem,
  unfollow,
  unfollowAll,
} from '../../../data/channels/sessions';
import { id } from '../../domain/fixtures/samples';
import { later, partnerSession, viewerSession } from '../../lambdas/fixtures/telemetry';
import { onlyCommand, store } from '../fixtures/store';
import {
  endMqttConnection,
  isPermanentFailure,
  publishOnTopic,
  subscribedTopics,
} from '../../../data/channels/iot-data-plane';
import { broker, published } from '../fixtures/topics';

describe('Sessions', () => {
  const items = () => {
    const { RequestItems } = onlyCommand() as { RequestItems: Record<string, { PutRequest: { Item: object } }[]> };
    return (RequestItems['connections'] ?? []).map(({ PutRequest }) => PutRequest.Item);
  };
  const partner = partnerSession();
  const viewer = viewerSession();
  /** Two hours after the handshake, and one more. */
  const ttl = 1 + 7200 + 3600;
  beforeEach(() => {
    store.resolves({});
  });

  describe('openSession', () => {
    test('stores one item for a partner, which outlives the longest connection by an hour, so that the socket can be closed', async () => {
      await openSession(partner);
      const key = { channel: 'session#partner-socket', connectionId: 'partner-socket' };
      expect(items()).toEqual([{ ...partner, ...key, socketId: 'partner-socket', session: true, ttl }]);
    });

    test('stores the session of a viewer with its device and share, which wait for the snapshot, by one write', async () => {
      await openSession(viewer);
      const own = {
        connectionId: 'viewer-socket',
        socketId: 'viewer-socket',
        shareCode: viewer.shareCode,
        session: true,
        ttl,
      };
      const times = { openedAt: 1, expiresAt: later };
      expect(items()).toEqual([
        { ...viewer, ...own, channel: 'session#viewer-socket' },
        { ...own, ...times, channel: `telemetry#${viewer.deviceId}`, bufferingSince: 1 },
        { ...own, ...times, channel: `share#${viewer.shareCode}`, bufferingSince: 1 },
      ]);
    });

    test('is an error when the table left out items', async () => {
      store.on(BatchWriteCommand).resolves({ UnprocessedItems: { connections: [{ PutRequest: { Item: {} } }] } });
      await expect(openSession(viewer)).rejects.toThrow('left out items');
    });
  });

  describe('findSession', () => {
    test.each([partner, viewer])('returns the stored session by a consistent read: %#', async (opened) => {
      const Key = { channel: `session#${opened.connectionId}`, connectionId: opened.connectionId };
      store.on(GetCommand).resolves({ Item: { ...opened, ...Key, session: true, ttl } });
      await expect(findSession(opened.connectionId)).resolves.toEqual(opened);
      expect(onlyCommand()).toEqual({ TableName: 'connections', Key, ConsistentRead: true });
    });

    test('returns undefined for a socket of another kind', async () => {
      await expect(findSession('other')).resolves.toBeUndefined();
    });

    test.each([{ kind: 'guest' }, { expiresAt: 'soon' }, { kind: 'viewer' }])(
      'fails for an invalid item: %j',
      async (fault) => {
        store.on(GetCommand).resolves({ Item: { ...partner, ...fault } });
        await expect(findSession(partner.connectionId)).rejects.toMatchObject({ name: '$ZodError' });
      },
    );
  });

  test('follow and unfollow are one write each, and a new subscription waits for its snapshot', async () => {
    await followDevice(partner, id('device'), 1795775400, 'one');
    const key = { channel: `telemetry#${id('device')}`, connectionId: partner.connectionId };
    expect(onlyCommand()['Item']).toEqual({
      ...key,
      clientId: 'client1',
      session: true,
      bufferingSince: 1795775400,
      waiting: 'one',
      openedAt: 1,
      expiresAt: later,
      socketId: partner.connectionId,
      ttl,
    });
    store.resetHistory();
    await unfollow(partner, id('device'));
    expect(onlyCommand()).toEqual({ TableName: 'connections', Key: key });
  });

  test('follow stores that a subscriber asked for batches, and nothing when it did not', async () => {
    await followDevice(partner, id('group'), 1795775400, 'one', true);
    expect(onlyCommand()['Item']).toHaveProperty('batch', true);
    store.resetHistory();
    await followDevice(partner, id('group'), 1795775400, 'one', false);
    expect(onlyCommand()['Item']).not.toHaveProperty('batch');
  });

  test('unfollowAll ends every subscription of a socket, and leaves its session', async () => {
    const item = (channel: string) => ({ ...sessionItem(partner), channel });
    const followed = [`telemetry#${id('device')}`, `telemetry#${id('group')}`];
    store.on(QueryCommand).resolves({ Items: ['session#partner-socket', ...followed].map(item) });
    await unfollowAll('partner-socket');
    expect(store.commandCalls(DeleteCommand).map(({ args: [{ input }] }) => input.Key)).toEqual(
      followed.map((channel) => ({ channel, connectionId: 'partner-socket' })),
    );
  });

  test('the items of a session have the keys of the session, the share and the device', () => {
    const own = { connectionId: viewer.connectionId, shareCode: viewer.shareCode, session: true };
    expect(sessionItem(viewer)).toMatchObject({ ...own, channel: 'session#viewer-socket' });
    expect(followedShare(viewer)).toMatchObject({ ...own, channel: `share#${viewer.shareCode}` });
    expect(followedDevice(viewer, viewer.deviceId)).toMatchObject({ ...own, channel: `telemetry#${viewer.deviceId}` });
  });

  test.each([
    ['session#s', true],
    ['session#other', false],
    [`telemetry#${id('device')}`, false],
    [`share#${id('share')}`, false],
    [`job#${id('job')}`, false],
  ])('isSession for the channel %s returns %s', (channel, session) => {
    expect(isSession({ channel, connectionId: 's' })).toBe(session);
  });
});

describe('publish', () => {
  test.each([
    ['none', { retain: false }],
    ['until-replaced', { retain: true }],
  ] as const)('publishes with QoS 1 and the retention %s', async (retention, retained) => {
    await publishOnTopic('a/JOB/STATUS', '{"jobState":"QUEUED"}', retention);
    expect(published()).toEqual([{ topic: 'a/JOB/STATUS', text: '{"jobState":"QUEUED"}', qos: 1, ...retained }]);
  });

  test.each([
    ['no later than at that time', 90, 90],
    ['at once when it has come', 0, 1],
    ['at once when it is past', -60, 1],
  ])('lets a message that is retained until a time expire %s', async (_, left, expiresIn) => {
    jest.useFakeTimers({ now: new Date('2026-11-27T10:30:00.000Z') });
    await publishOnTopic('a/JOB/STATUS', '{}', { until: Date.now() / 1000 + left });
    jest.useRealTimers();
    expect(published()).toMatchObject([{ retain: true, expiresIn }]);
  });

  test('clears the retained message with an empty payload', async () => {
    await publishOnTopic('a/JOB/STATUS', '', 'until-replaced');
    expect(published()).toMatchObject([{ text: '', retain: true }]);
  });

  test('passes on errors of AWS IoT', async () => {
    const fault = new Error('throttled');
    broker.onAnyCommand().rejects(fault);
    await expect(publishOnTopic('a', '', 'none')).rejects.toBe(fault);
  });

  test.each([
    [new InvalidRequestException({ message: 'no', $metadata: {} }), true],
    [new RequestEntityTooLargeException({ message: 'no', $metadata: {} }), true],
    [new ThrottlingException({ message: 'no', $metadata: {} }), false],
    [new Error('socket hang up'), false],
  ])('has a permanent failure in %s: %s', (error, isPermanent) => {
    expect(isPermanentFailure(error)).toBe(isPermanent);
  });
});

describe('endMqttConnection', () => {
  test('ends the session too', async () => {
    await endMqttConnection('client1-1');
    expect(broker).toHaveReceivedCommandWith(DeleteConnectionCommand, { clientId: 'client1-1', cleanSession: true });
  });

  test('succeeds when the client is not connected, and passes on any other error', async () => {
    broker.onAnyCommand().rejects(Object.assign(new Error('none'), { name: 'ResourceNotFoundException' }));
    await expect(endMqttConnection('client1-1')).resolves.toBeUndefined();
    const fault = Object.assign(new Error('busy'), { name: 'ThrottlingException' });
    broker.onAnyCommand().rejects(fault);
    await expect(endMqttConnection('client1-1')).rejects.toBe(fault);
  });
});

describe('subscribedTopics', () => {
  test('lists all subscriptions of a connection in one page', async () => {
    const topicFilters = ['a/JOB/STATUS', 'b/JOB/STATUS'];
    const subscriptions = topicFilters.map((topicFilter) => ({ topicFilter, qos: 1 }));
    broker.on(ListSubscriptionsCommand, { clientId: 'client1-1', maxResults: 200 }).resolves({ subscriptions });
    await expect(subscribedTopics('client1-1')).resolves.toEqual(topicFilters);
  });

  test('returns none when the client is not connected, and passes on any other error', async () => {
    broker.onAnyCommand().rejects(Object.assign(new Error('none'), { name: 'ResourceNotFoundException' }));
    await expect(subscribedTopics('client1-1')).resolves.toEqual([]);
    const fault = Object.assign(new Error('busy'), { name: 'ThrottlingException' });
    broker.onAnyCommand().rejects(fault);
    await expect(subscribedTopics('client1-1')).rejects.toBe(fault);
  });
});
