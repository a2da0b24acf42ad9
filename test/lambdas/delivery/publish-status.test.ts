import { stopClock } from '../fixtures/clock';
import { DeleteCommand, QueryCommand, UpdateCommand } from '../../../data/store/document-client';
import { connection, gone, socketCalls, sockets } from '../../data/fixtures/sockets';
import { DeleteConnectionCommand, PostToConnectionCommand } from '@aws-sdk/client-apigatewaymanagementapi';
import { PublishCommand, RequestEntityTooLargeException, ThrottlingException } from '@aws-sdk/client-iot-data-plane';
import { SendMessageCommand } from '@aws-sdk/client-sqs';
import { topicOf } from '../../../contract/channels';
import type { FollowedUntil } from '../../../domain/audience';
import { deviceMessage, jobMessage, type StatusEvent } from '../../../domain/status-event';
import * as delivery from '../../../lambdas/delivery/publish-status';
import { store } from '../../data/fixtures/store';
import { broker, published } from '../../data/fixtures/topics';
import { later, queue } from '../fixtures/telemetry';
import { id, sampleJob } from '../../domain/fixtures/samples';
import { logLines } from '../fixtures/log';
import { givenBufferingFollower } from '../fixtures/buffering-follower';

/** Publishes an event, of positions on channels that are followed. */
const publishStatus = (event: StatusEvent, followed: FollowedUntil = { socketsUntil: later, topicUntil: later }) =>
  delivery.publishStatus(
    event,
    delivery.findAudience(() => Promise.resolve(followed)),
  );

const channel = { kind: 'job', id: id('job') } as const;
const event = (role: StatusEvent['role'] = 'state'): StatusEvent => ({
  role,
  message: jobMessage(sampleJob()),
});
const text = JSON.stringify(event().message);
const socketIds = (count: number) => Array.from({ length: count }, (_, index) => `socket-${index + 1}`);
const givenFollowers = (...Items: object[]) => store.on(QueryCommand).resolves({ Items });
const givenSockets = (count: number) =>
  givenFollowers(...socketIds(count).map((connectionId) => connection({ connectionId })));
const throttled = new ThrottlingException({ message: 'one a second', $metadata: {} });
/** Channels queued for retention. */
const queuedRetentions = () =>
  queue.commandCalls(SendMessageCommand).map(({ args: [{ input }] }) => JSON.parse(input.MessageBody ?? '') as object);
const stuck = Object.assign(new Error('the request took too long'), { name: 'TimeoutError' });

beforeEach(() => {
  process.env['RETENTION_QUEUE_URL'] = 'https://queue.test/retention';
  store.onAnyCommand().resolves({});
});

describe('A change without followers', () => {
  test('costs one publish and one query', async () => {
    givenFollowers();
    await publishStatus(event());
    expect(broker.calls()).toHaveLength(1);
    expect(store.calls()).toHaveLength(1);
    expect(sockets).not.toHaveReceivedAnyCommand();
  });
});

describe('On the topic of its channel', () => {
  test.each([
    ['state', { retain: true }],
    ['transient', { retain: false }],
  ] as const)('an event of role %s is published with %j', async (role, retained) => {
    givenFollowers();
    await publishStatus(event(role));
    expect(published()).toEqual([{ topic: topicOf(channel), text, qos: 1, ...retained }]);
  });

  test('a final message is not retained, and the retained message is cleared', async () => {
    givenFollowers();
    await publishStatus(event('end'));
    expect(published()).toMatchObject([
      { text, retain: false },
      { text: '', retain: true },
    ]);
  });

  test('a state that cannot be retained now is published without retention, and its retention is queued', async () => {
    givenFollowers();
    broker.on(PublishCommand, { retain: true }).rejects(throttled);
    await publishStatus(event());
    expect(published()).toMatchObject([{ retain: true }, { text, retain: false }]);
    expect(queuedRetentions()).toEqual([channel]);
    expect(logLines()).toMatchObject([{ level: 'WARN', message: 'state not retained yet' }]);
  });

  test('a queued retention of a device state names the device, its group, and the cursor of the message', async () => {
    givenFollowers();
    broker.on(PublishCommand, { retain: true }).rejects(throttled);
    const device = { deviceId: id('device'), deviceGroupId: id('group'), name: 'Kestrel', version: 1 };
    const message = deviceMessage({ ...device, status: 'online' }, '2026-11-27T10:30:00.000Z');
    const cursor = 'event-acme0001-0000000001';
    await publishStatus({ role: 'state', message: { ...message, cursor } });
    expect(queuedRetentions()).toEqual([{ kind: 'group', id: id('group'), deviceId: id('device'), cursor }]);
  });

  test('a retained message that cannot be cleared now is queued, and no empty message is published', async () => {
    givenFollowers();
    broker.on(PublishCommand, { retain: true }).rejects(throttled);
    await publishStatus(event('end'));
    expect(published()).toMatchObject([
      { text, retain: false },
      { text: '', retain: true },
    ]);
    expect(queuedRetentions()).toEqual([channel]);
  });

  test('a message that AWS IoT refuses for good is logged and skipped, and the sockets get it', async () => {
    givenSockets(2);
    broker.onAnyCommand().rejects(new RequestEntityTooLargeException({ message: 'no', $metadata: {} }));
    await publishStatus(event());
    expect(socketCalls()).toHaveLength(2);
    expect(logLines()).toMatchObject([{ level: 'ERROR', kind: 'job', message: 'message refused by AWS IoT' }]);
  });

  test('a failure fails the change, after all sockets have been sent to', async () => {
    givenSockets(3);
    const fault = new Error('throttled');
    broker.onAnyCommand().rejects(fault);
    await expect(publishStatus(event())).rejects.toBe(fault);
    expect(socketCalls()).toHaveLength(3);
  });
});

describe('A change of a job or a share', () => {
  const now = Date.parse('2026-11-27T10:30:00.000Z') / 1000;
  beforeEach(() => stopClock(new Date(now * 1000)));
  const publishFor = (topicUntil: number | undefined, role?: StatusEvent['role']) =>
    delivery.publishStatus(event(role), delivery.audienceUntil(topicUntil));

  test.each([
    ['nobody ever subscribed', undefined],
    ['the last session has ended', now - 120],
  ])('is not published to its topic when %s, and the sockets get it', async (_, topicUntil) => {
    givenSockets(2);
    await publishFor(topicUntil);
    expect(broker).not.toHaveReceivedAnyCommand();
    expect(socketCalls()).toHaveLength(2);
  });

  test('is retained until no session is left, so that no outdated state stays when later ones are not published', async () => {
    givenSockets(2);
    await publishFor(now + 600);
    expect(published()).toMatchObject([{ text, retain: true, expiresIn: 600 }]);
    expect(socketCalls()).toHaveLength(2);
  });

  test('is published while the clocks may differ, and retained for a second', async () => {
    givenFollowers();
    await publishFor(now - 30);
    expect(published()).toMatchObject([{ text, retain: true, expiresIn: 1 }]);
  });

  test('that is its end is published to a subscriber who has not been noted yet, and nothing is cleared', async () => {
    givenSockets(1);
    await publishFor(undefined, 'end');
    expect(published()).toEqual([{ topic: topicOf(channel), text, retain: false, qos: 1 }]);
    expect(socketCalls()).toEqual([`socket-1 ${text}`, 'socket-1 closed']);
  });

  test('that is its end clears the topic while somebody may be subscribed', async () => {
    givenFollowers();
    await publishFor(now + 600, 'end');
    expect(published()).toEqual([
      { topic: topicOf(channel), text, retain: false, qos: 1 },
      { topic: topicOf(channel), text: '', retain: true, qos: 1 },
    ]);
  });

  test('for subscribers only is not sent to sockets, whose followers are not read', async () => {
    givenSockets(2);
    await delivery.publishStatus(event(), delivery.subscribersUntil(now + 600));
    expect(published()).toMatchObject([{ text, retain: true }]);
    expect(store).not.toHaveReceivedAnyCommand();
    expect(socketCalls()).toEqual([]);
  });

  test('for subscribers only is not published when their sessions have ended', async () => {
    await delivery.publishStatus(event(), delivery.subscribersUntil(now - 120));
    expect(broker).not.toHaveReceivedAnyCommand();
  });
});

describe('To the sockets of its channel', () => {
  test('a change is sent to each once, with the same text as on the topic', async () => {
    givenSockets(120);
    await publishStatus(event());
    expect(socketCalls().toSorted()).toEqual(
      socketIds(120)
        .map((name) => `${name} ${text}`)
        .toSorted(),
    );
    expect(published()).toMatchObject([{ text }]);
  });

  test('a change is sent to the followers of all pages', async () => {
    const key = { channel: 'x', connectionId: 'y' };
    store
      .on(QueryCommand)
      .resolvesOnce({ Items: [connection()], LastEvaluatedKey: key })
      .resolves({ Items: [connection({ connectionId: 'socket-2' })] });
    await publishStatus(event());
    expect(socketCalls()).toEqual([`socket-1 ${text}`, `socket-2 ${text}`]);
  });

  test('a final message is sent before each socket is closed and deleted', async () => {
    givenSockets(2);
    await publishStatus(event('end'));
    for (const name of socketIds(2))
      expect(socketCalls().filter((line) => line.startsWith(name))).toEqual([`${name} ${text}`, `${name} closed`]);
    expect(store).toHaveReceivedCommandTimes(DeleteCommand, 2);
  });

  test('a final message is buffered for a follower that waits for its snapshot', async () => {
    const waiting = { ...connection(), bufferingSince: 1 };
    const item = await givenBufferingFollower(waiting);
    givenFollowers(waiting, connection({ connectionId: 'socket-2' }));
    await publishStatus(event('end'));
    expect(socketCalls()).toEqual([`socket-2 ${text}`, 'socket-2 closed']);
    expect((await item.item()).buffered).toEqual([{ text, endsChannel: true }]);
  });

  test('no message older than the snapshot of a follower is sent to it', async () => {
    const upToDate = { ...connection(), sentSequences: { 'job.status': sampleJob().version } };
    givenFollowers(upToDate, connection({ connectionId: 'socket-2' }));
    await publishStatus(event());
    expect(socketCalls()).toEqual([`socket-2 ${text}`]);
  });

  test('a closed socket is deleted, and the others get the change', async () => {
    givenSockets(3);
    sockets.on(PostToConnectionCommand, { ConnectionId: 'socket-2' }).rejects(gone());
    await publishStatus(event());
    expect(socketCalls()).toHaveLength(3);
    expect(store).toHaveReceivedCommandTimes(DeleteCommand, 1);
    expect(store).toHaveReceivedCommandWith(DeleteCommand, {
      Key: { channel: connection().channel, connectionId: 'socket-2' },
    });
  });

  test('a socket that times out is closed, and the others get the change', async () => {
    givenSockets(3);
    sockets.on(PostToConnectionCommand, { ConnectionId: 'socket-2' }).rejects(stuck);
    await publishStatus(event());
    expect(socketCalls().filter((line) => line.endsWith('closed'))).toEqual(['socket-2 closed']);
    expect(socketCalls()).toHaveLength(4);
  });

  test('a viewer of a share that has expired gets nothing but the final message, and is not closed before', async () => {
    const expiresAt = Math.floor(Date.now() / 1000);
    const { clientId: _, ...viewer } = connection({ shareCode: id('share'), expiresAt });
    givenFollowers(viewer);
    await publishStatus(event());
    expect(socketCalls()).toEqual([]);
    await publishStatus(event('end'));
    expect(socketCalls()).toEqual([`socket-1 ${text}`, 'socket-1 closed']);
  });

  test('a socket whose token has expired is closed without a message', async () => {
    givenFollowers(connection({ expiresAt: Math.floor(Date.now() / 1000) }), connection({ connectionId: 'socket-2' }));
    await publishStatus(event());
    expect(socketCalls().toSorted()).toEqual(['socket-1 closed', `socket-2 ${text}`]);
  });

  test('a socket that can be neither posted to nor closed is marked for the heartbeat, and the others get the change', async () => {
    givenSockets(3);
    sockets.on(PostToConnectionCommand, { ConnectionId: 'socket-2' }).rejects(stuck);
    sockets.on(DeleteConnectionCommand).rejects(stuck);
    await publishStatus(event());
    expect(socketCalls().filter((line) => line.endsWith(text))).toHaveLength(3);
    expect(logLines()).toMatchObject([{ level: 'WARN', connectionId: 'socket-2' }]);
    expect(store.commandCalls(UpdateCommand).map(({ args: [{ input }] }) => input)).toMatchObject([
      {
        Key: { connectionId: 'socket-2' },
        UpdateExpression: expect.stringMatching(/^SET bufferingSince = /) as string,
      },
    ]);
  });

  test('a socket that cannot even be marked for the heartbeat fails the change, so that it is retried', async () => {
    givenSockets(2);
    const fault = new Error('throttled');
    sockets.on(PostToConnectionCommand, { ConnectionId: 'socket-2' }).rejects(stuck);
    sockets.on(DeleteConnectionCommand).rejects(stuck);
    store.on(UpdateCommand).rejects(fault);
    await expect(publishStatus(event())).rejects.toBe(fault);
  });

  test('a socket that stays open after a final message fails the change, so that it is retried', async () => {
    givenSockets(3);
    sockets.on(DeleteConnectionCommand, { ConnectionId: 'socket-2' }).rejects(stuck);
    await expect(publishStatus(event('end'))).rejects.toBe(stuck);
    expect(socketCalls().filter((line) => line.endsWith('closed'))).toHaveLength(3);
  });

  test('a change fails when the followers cannot be read', async () => {
    const fault = new Error('throttled');
    store.on(QueryCommand).rejects(fault);
    await expect(publishStatus(event())).rejects.toBe(fault);
  });
});
