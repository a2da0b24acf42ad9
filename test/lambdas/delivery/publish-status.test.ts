import { DeleteCommand, QueryCommand, UpdateCommand } from '../../../data/store/document-client';
import { connection, gone, said, sockets } from '../../data/fixtures/sockets';
import { DeleteConnectionCommand, PostToConnectionCommand } from '@aws-sdk/client-apigatewaymanagementapi';
import { PublishCommand, RequestEntityTooLargeException, ThrottlingException } from '@aws-sdk/client-iot-data-plane';
import { SendMessageCommand } from '@aws-sdk/client-sqs';
import { topicOf } from '../../../contract/channels';
import { deviceMessage, jobMessage, type StatusEvent } from '../../../domain/status-event';
import { publishStatus } from '../../../lambdas/delivery/publish-status';
import { store } from '../../data/fixtures/store';
import { broker, published } from '../../data/fixtures/topics';
import { queue } from '../fixtures/telemetry';
import { id, sampleJob } from '../../domain/fixtures/samples';
import { logLines } from '../fixtures/log';
import { givenWaiting } from '../fixtures/waiting';

const channel = { kind: 'job', id: id('job') } as const;
const event = (weight: StatusEvent['weight'] = 'state'): StatusEvent => ({
  channel,
  weight,
  message: jobMessage(sampleJob()),
});
const text = JSON.stringify(event().message);
const names = (count: number) => Array.from({ length: count }, (_, index) => `socket-${index + 1}`);
const followed = (...Items: object[]) => store.on(QueryCommand).resolves({ Items });
const followedBy = (count: number) => followed(...names(count).map((connectionId) => connection({ connectionId })));
const throttled = new ThrottlingException({ message: 'one a second', $metadata: {} });
/** Channels that wait to be retained. */
const retainedLater = () =>
  queue.commandCalls(SendMessageCommand).map(({ args: [{ input }] }) => JSON.parse(input.MessageBody ?? '') as object);
const stuck = Object.assign(new Error('the request took too long'), { name: 'TimeoutError' });

beforeEach(() => {
  process.env['RETENTION_QUEUE_URL'] = 'https://queue.test/retention';
  store.onAnyCommand().resolves({});
});

describe('A change that nobody follows', () => {
  test('costs one publish and one query.', async () => {
    followed();
    await publishStatus(event());
    expect(broker.calls()).toHaveLength(1);
    expect(store.calls()).toHaveLength(1);
    expect(sockets).not.toHaveReceivedAnyCommand();
  });
});

describe('On its topic', () => {
  test.each([
    ['state', { retain: true }],
    ['final', { retain: true, expiresIn: 86_400 }],
    ['passing', { retain: false }],
  ] as const)('what is %s is retained: %j.', async (weight, retained) => {
    followed();
    await publishStatus(event(weight));
    expect(published()).toEqual([{ topic: topicOf(channel), text, qos: 1, ...retained }]);
  });

  test('the last word is not retained, and then nothing is.', async () => {
    followed();
    await publishStatus(event('last'));
    expect(published()).toMatchObject([
      { text, retain: false },
      { text: '', retain: true },
    ]);
  });

  test.each(['state', 'final'] as const)(
    'a %s that can not be retained now is heard at once, and its channel waits to be retained.',
    async (weight) => {
      followed();
      broker.on(PublishCommand, { retain: true }).rejects(throttled);
      await publishStatus(event(weight));
      expect(published()).toMatchObject([{ retain: true }, { text, retain: false }]);
      expect(retainedLater()).toEqual([channel]);
      expect(logLines()).toMatchObject([{ level: 'WARN', message: 'a state could not be retained yet' }]);
    },
  );

  test('a state of a device that can not be retained names the device of its group.', async () => {
    followed();
    broker.on(PublishCommand, { retain: true }).rejects(throttled);
    const device = { deviceId: id('device'), deviceGroupId: id('group'), name: 'Kestrel', version: 1 };
    const message = deviceMessage({ ...device, status: 'online' }, '2026-11-27T10:30:00.000Z');
    await publishStatus({ channel: { kind: 'group', id: id('group') }, weight: 'state', message });
    expect(retainedLater()).toEqual([{ kind: 'group', id: id('group'), deviceId: id('device') }]);
  });

  test('what can not be cleared after the last word waits too, and nobody hears an empty message.', async () => {
    followed();
    broker.on(PublishCommand, { retain: true }).rejects(throttled);
    await publishStatus(event('last'));
    expect(published()).toMatchObject([
      { text, retain: false },
      { text: '', retain: true },
    ]);
    expect(retainedLater()).toEqual([channel]);
  });

  test('what is refused for good holds nothing up: it is logged, and the sockets are told.', async () => {
    followedBy(2);
    broker.onAnyCommand().rejects(new RequestEntityTooLargeException({ message: 'no', $metadata: {} }));
    await publishStatus(event());
    expect(said()).toHaveLength(2);
    expect(logLines()).toMatchObject([{ level: 'ERROR', kind: 'job', message: 'a message was refused by its topic' }]);
  });

  test('a failure fails the change, once no socket is being told any more.', async () => {
    followedBy(3);
    const fault = new Error('throttled');
    broker.onAnyCommand().rejects(fault);
    await expect(publishStatus(event())).rejects.toBe(fault);
    expect(said()).toHaveLength(3);
  });
});

describe('To its sockets', () => {
  test('a change is told in the same words as on the topic, to each once.', async () => {
    followedBy(120);
    await publishStatus(event());
    expect(said().toSorted()).toEqual(
      names(120)
        .map((name) => `${name} ${text}`)
        .toSorted(),
    );
    expect(published()).toMatchObject([{ text }]);
  });

  test('over several pages, too.', async () => {
    const key = { channel: 'x', connectionId: 'y' };
    store
      .on(QueryCommand)
      .resolvesOnce({ Items: [connection()], LastEvaluatedKey: key })
      .resolves({ Items: [connection({ connectionId: 'socket-2' })] });
    await publishStatus(event());
    expect(said()).toEqual([`socket-1 ${text}`, `socket-2 ${text}`]);
  });

  test('the last word is told first, and then they are closed and forgotten.', async () => {
    followedBy(2);
    await publishStatus(event('last'));
    for (const name of names(2))
      expect(said().filter((line) => line.startsWith(name))).toEqual([`${name} ${text}`, `${name} closed`]);
    expect(store).toHaveReceivedCommandTimes(DeleteCommand, 2);
  });

  test('the last word reaches who is being told the state, too: it is held back for it, to be told and closed then.', async () => {
    const waiting = { ...connection(), waits: 1 };
    const item = givenWaiting(waiting);
    followed(waiting, connection({ connectionId: 'socket-2' }));
    await publishStatus(event('last'));
    expect(said()).toEqual([`socket-2 ${text}`, 'socket-2 closed']);
    expect(item.item().held).toEqual([{ text, last: true }]);
  });

  test('one that was told the state is not told anything older by a record that comes late.', async () => {
    const told = { ...connection(), told: { 'job.status': sampleJob().version } };
    followed(told, connection({ connectionId: 'socket-2' }));
    await publishStatus(event());
    expect(said()).toEqual([`socket-2 ${text}`]);
  });

  test('one that is gone is forgotten, and the others are told.', async () => {
    followedBy(3);
    sockets.on(PostToConnectionCommand, { ConnectionId: 'socket-2' }).rejects(gone());
    await publishStatus(event());
    expect(said()).toHaveLength(3);
    expect(store).toHaveReceivedCommandTimes(DeleteCommand, 1);
    expect(store).toHaveReceivedCommandWith(DeleteCommand, {
      Key: { channel: connection().channel, connectionId: 'socket-2' },
    });
  });

  test('one that takes nothing in time is closed, and the others are told.', async () => {
    followedBy(3);
    sockets.on(PostToConnectionCommand, { ConnectionId: 'socket-2' }).rejects(stuck);
    await publishStatus(event());
    expect(said().filter((line) => line.endsWith('closed'))).toEqual(['socket-2 closed']);
    expect(said()).toHaveLength(4);
  });

  test('a viewer hears of the end of its share, though its time is up with it, and is closed.', async () => {
    const expiresAt = Math.floor(Date.now() / 1000);
    const { clientId: _, ...viewer } = connection({ shareCode: id('share'), expiresAt });
    followed(viewer);
    await publishStatus(event('last'));
    expect(said()).toEqual([`socket-1 ${text}`, 'socket-1 closed']);
    sockets.resetHistory();
    await publishStatus(event());
    expect(said()).toEqual(['socket-1 closed']);
  });

  test('one whose token has ended is told nothing and is closed.', async () => {
    followed(connection({ expiresAt: Math.floor(Date.now() / 1000) }), connection({ connectionId: 'socket-2' }));
    await publishStatus(event());
    expect(said().toSorted()).toEqual(['socket-1 closed', `socket-2 ${text}`]);
  });

  test('one that can be neither reached nor closed is left to the heartbeat to close, and the others are told.', async () => {
    followedBy(3);
    sockets.on(PostToConnectionCommand, { ConnectionId: 'socket-2' }).rejects(stuck);
    sockets.on(DeleteConnectionCommand).rejects(stuck);
    await publishStatus(event());
    expect(said().filter((line) => line.endsWith(text))).toHaveLength(3);
    expect(logLines()).toMatchObject([{ level: 'WARN', connectionId: 'socket-2' }]);
    expect(store.commandCalls(UpdateCommand).map(({ args: [{ input }] }) => input)).toMatchObject([
      { Key: { connectionId: 'socket-2' }, UpdateExpression: expect.stringMatching(/^SET waits = /) as string },
    ]);
  });

  test('one that can not even be left to the heartbeat fails the change, so that it is said again.', async () => {
    followedBy(2);
    const fault = new Error('throttled');
    sockets.on(PostToConnectionCommand, { ConnectionId: 'socket-2' }).rejects(stuck);
    sockets.on(DeleteConnectionCommand).rejects(stuck);
    store.on(UpdateCommand).rejects(fault);
    await expect(publishStatus(event())).rejects.toBe(fault);
  });

  test('none may be left open after the last word: then the change has to be said again.', async () => {
    followedBy(3);
    sockets.on(DeleteConnectionCommand, { ConnectionId: 'socket-2' }).rejects(stuck);
    await expect(publishStatus(event('last'))).rejects.toBe(stuck);
    expect(said().filter((line) => line.endsWith('closed'))).toHaveLength(3);
  });

  test('a change can not be told when they can not be read.', async () => {
    const fault = new Error('throttled');
    store.on(QueryCommand).rejects(fault);
    await expect(publishStatus(event())).rejects.toBe(fault);
  });
});
