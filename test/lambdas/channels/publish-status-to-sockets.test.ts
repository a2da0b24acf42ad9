import { DeleteConnectionCommand, PostToConnectionCommand } from '@aws-sdk/client-apigatewaymanagementapi';
import { DeleteCommand, QueryCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { connection, gone, socketCalls, sockets } from '../../data/fixtures/sockets';
import { store } from '../../data/fixtures/store';
import { published } from '../../data/fixtures/topics';
import { event, givenFollowers, givenSockets, publishStatus, socketIds, text } from '../fixtures/published-status';
import { id, sampleJob } from '../../domain/fixtures/samples';
import { logLines } from '../fixtures/log';
import { engine, givenBufferingFollower } from '../fixtures/buffering-follower';

const stuck = Object.assign(new Error('the request took too long'), { name: 'TimeoutError' });

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

  test('a viewer of a share that has expired gets nothing, and is not closed: the end of the share does that', async () => {
    const expiresAt = Math.floor(Date.now() / 1000);
    const { clientId: _, ...viewer } = connection({ shareCode: id('share'), expiresAt });
    givenFollowers(viewer);
    await publishStatus(event());
    expect(socketCalls()).toEqual([]);
  });

  test('a socket whose token has expired is closed without a message', async () => {
    givenFollowers(connection({ expiresAt: Math.floor(Date.now() / 1000) }), connection({ connectionId: 'socket-2' }));
    await publishStatus(event());
    expect(socketCalls().toSorted()).toEqual(['socket-1 closed', `socket-2 ${text}`]);
  });

  test('a socket that can be neither posted to nor closed is marked for the heartbeat, and the others get the change', async () => {
    const followers = socketIds(3).map((connectionId) => connection({ connectionId }));
    await engine.put('connections', ...followers);
    givenFollowers(...followers);
    sockets.on(PostToConnectionCommand, { ConnectionId: 'socket-2' }).rejects(stuck);
    sockets.on(DeleteConnectionCommand).rejects(stuck);
    await publishStatus(event());
    expect(socketCalls().filter((line) => line.endsWith(text))).toHaveLength(3);
    expect(logLines()).toMatchObject([{ level: 'WARN', connectionId: 'socket-2' }]);
    for (const item of followers)
      expect(await engine.get('connections', item)).toEqual(
        item.connectionId === 'socket-2'
          ? { ...item, bufferingSince: expect.any(Number) as number, waiting: expect.any(String) as string }
          : item,
      );
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
