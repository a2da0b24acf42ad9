import { DeleteCommand, GetCommand } from '@aws-sdk/lib-dynamodb';
import { DeleteConnectionCommand, PostToConnectionCommand } from '@aws-sdk/client-apigatewaymanagementapi';
import { InvokeCommand } from '@aws-sdk/client-lambda';
import { connection, gone, socketCalls, sockets } from '../fixtures/sockets';
import { closeSocket, deleteConnection, postToSocket } from '../../../data/channels/sockets';
import { store } from '../fixtures/store';
import { requestSnapshot } from '../../../data/channels/request-snapshot';
import { readSnapshotRequest, type SnapshotRequest } from '../../../data/channels/snapshot-requests';
import { id } from '../../domain/fixtures/samples';
import { snapshotRequests, lambda } from '../fixtures/snapshot-function';

describe('Sockets', () => {
  const own = connection();
  const tooSlow = Object.assign(new Error('a request has exceeded the configured 2000 ms requestTimeout'), {
    name: 'TimeoutError',
  });
  const limited = Object.assign(new Error('buffer full'), { name: 'LimitExceededException' });
  const deletedItem = { TableName: 'connections', Key: { channel: own.channel, connectionId: own.connectionId } };

  beforeEach(() => {
    store.onAnyCommand().resolves({});
  });

  describe('postToSocket', () => {
    test('is one call, without a command to DynamoDB', async () => {
      await expect(postToSocket(own, 'hello')).resolves.toBe(true);
      expect(socketCalls()).toEqual(['socket-1 hello']);
      expect(store).not.toHaveReceivedAnyCommand();
    });

    test('deletes the connection when the socket is closed', async () => {
      sockets.on(PostToConnectionCommand).rejects(gone());
      await expect(postToSocket(own, 'hello')).resolves.toBe(false);
      expect(store).toHaveReceivedCommandWith(DeleteCommand, deletedItem);
      expect(sockets).not.toHaveReceivedCommand(DeleteConnectionCommand);
    });

    test.each([tooSlow, limited])(
      'closes the socket and deletes the connection when the post fails ($name)',
      async (fault) => {
        sockets.on(PostToConnectionCommand).rejects(fault);
        await expect(postToSocket(own, 'hello')).resolves.toBe(false);
        expect(socketCalls()).toEqual(['socket-1 hello', 'socket-1 closed']);
        expect(store).toHaveReceivedCommandWith(DeleteCommand, deletedItem);
      },
    );

    test('fails when the socket can be neither reached nor closed, and keeps the connection', async () => {
      sockets.onAnyCommand().rejects(tooSlow);
      await expect(postToSocket(own, 'hello')).rejects.toBe(tooSlow);
      expect(store).not.toHaveReceivedAnyCommand();
    });

    test('retries during the handshake while the connection exists', async () => {
      store.on(GetCommand).resolves({ Item: own });
      sockets.on(PostToConnectionCommand).rejectsOnce(gone()).rejectsOnce(gone()).resolves({});
      await expect(postToSocket(own, 'hello', [1, 1])).resolves.toBe(true);
      expect(socketCalls()).toHaveLength(3);
      expect(store).not.toHaveReceivedCommand(DeleteCommand);
    });

    test('deletes the connection after the last retry', async () => {
      store.on(GetCommand).resolves({ Item: own });
      sockets.on(PostToConnectionCommand).rejects(gone());
      await expect(postToSocket(own, 'hello', [1, 1])).resolves.toBe(false);
      expect(socketCalls()).toHaveLength(3);
      expect(store).toHaveReceivedCommandWith(DeleteCommand, deletedItem);
    });

    test('does not retry when the connection does not exist any more', async () => {
      sockets.on(PostToConnectionCommand).rejects(gone());
      await expect(postToSocket(own, 'hello', [60_000])).resolves.toBe(false);
      expect(socketCalls()).toHaveLength(1);
    });
  });

  describe('closeSocket', () => {
    test.each([
      ['of an open socket', undefined],
      ['of a closed socket', gone()],
    ])('deletes the connection %s', async (_, fault) => {
      if (fault) sockets.on(DeleteConnectionCommand).rejects(fault);
      await closeSocket(own);
      expect(socketCalls()).toEqual(['socket-1 closed']);
      expect(store).toHaveReceivedCommandWith(DeleteCommand, deletedItem);
    });

    test('fails when the socket cannot be closed, and keeps the connection for a retry', async () => {
      sockets.on(DeleteConnectionCommand).rejects(limited);
      await expect(closeSocket(own)).rejects.toBe(limited);
      expect(store).not.toHaveReceivedAnyCommand();
    });
  });

  describe('deleteConnection', () => {
    test('closes a socket without a command to DynamoDB', async () => {
      await deleteConnection('socket-1');
      expect(socketCalls()).toEqual(['socket-1 closed']);
      expect(store).not.toHaveReceivedAnyCommand();
    });

    test('retries during the handshake', async () => {
      sockets.on(DeleteConnectionCommand).rejectsOnce(gone()).resolves({});
      await deleteConnection('socket-1', [1]);
      expect(socketCalls()).toEqual(['socket-1 closed', 'socket-1 closed']);
    });

    test('succeeds when the socket is still unknown after the last retry', async () => {
      sockets.onAnyCommand().rejects(gone());
      await expect(deleteConnection('socket-1', [1, 1])).resolves.toBeUndefined();
      expect(socketCalls()).toHaveLength(3);
    });

    test('passes on any other error', async () => {
      sockets.onAnyCommand().rejects(tooSlow);
      await expect(deleteConnection('socket-1', [1])).rejects.toBe(tooSlow);
      expect(socketCalls()).toHaveLength(1);
    });
  });
});

describe('Snapshot requests', () => {
  const greetings: [SnapshotRequest][] = [
    [{ kind: 'channel', connection: connection() }],
    [{ kind: 'viewer', connectionId: 'socket-1' }],
    [{ kind: 'subscription', connectionId: 'socket-1', followed: id('group') }],
  ];

  test.each(greetings)(
    '%j is requested by one asynchronous invocation, and parsed as it was sent',
    async (greeting) => {
      await requestSnapshot(greeting);
      expect(lambda).toHaveReceivedCommandTimes(InvokeCommand, 1);
      expect(lambda).toHaveReceivedCommandWith(InvokeCommand, {
        FunctionName: 'send-snapshot',
        InvocationType: 'Event',
      });
      expect(snapshotRequests()).toEqual([greeting]);
      expect(readSnapshotRequest(snapshotRequests()[0])).toEqual(greeting);
    },
  );

  test.each([
    {},
    null,
    [],
    { kind: 'guest', connectionId: 'a' },
    { kind: 'viewer' },
    { kind: 'channel', connection: {} },
  ])('%j is refused as no snapshot request', (event) => {
    expect(() => readSnapshotRequest(event)).toThrow();
  });

  test('requestSnapshot fails when Lambda does not accept the event', async () => {
    const fault = new Error('Rate Exceeded.');
    lambda.on(InvokeCommand).rejects(fault);
    await expect(requestSnapshot({ kind: 'viewer', connectionId: 'socket-1' })).rejects.toBe(fault);
  });

  test('requestSnapshot fails without SNAPSHOT_FUNCTION', async () => {
    const { SNAPSHOT_FUNCTION } = process.env;
    delete process.env['SNAPSHOT_FUNCTION'];
    await expect(requestSnapshot({ kind: 'viewer', connectionId: 'socket-1' })).rejects.toThrow(
      'SNAPSHOT_FUNCTION is not set',
    );
    process.env['SNAPSHOT_FUNCTION'] = SNAPSHOT_FUNCTION;
    expect(lambda).not.toHaveReceivedAnyCommand();
  });
});
