import { DeleteCommand, GetCommand } from '../../../data/store/document-client';
import { connection, gone, said, sockets } from '../fixtures/sockets';
import { DeleteConnectionCommand, PostToConnectionCommand } from '@aws-sdk/client-apigatewaymanagementapi';
import { closeSocket, hangUp, postToSocket } from '../../../data/connections/sockets';
import { store } from '../fixtures/store';

const own = connection();
const tooSlow = Object.assign(new Error('a request has exceeded the configured 2000 ms requestTimeout'), {
  name: 'TimeoutError',
});
const limited = Object.assign(new Error('buffer full'), { name: 'LimitExceededException' });
const forgotten = { TableName: 'connections', Key: { channel: own.channel, connectionId: own.connectionId } };

beforeEach(() => {
  store.onAnyCommand().resolves({});
});

describe('Posting to a socket', () => {
  test('is one call, and the store hears nothing of it.', async () => {
    await expect(postToSocket(own, 'hello')).resolves.toBe(true);
    expect(said()).toEqual(['socket-1 hello']);
    expect(store).not.toHaveReceivedAnyCommand();
  });

  test('that is gone forgets it, and is no error.', async () => {
    sockets.on(PostToConnectionCommand).rejects(gone());
    await expect(postToSocket(own, 'hello')).resolves.toBe(false);
    expect(store).toHaveReceivedCommandWith(DeleteCommand, forgotten);
    expect(sockets).not.toHaveReceivedCommand(DeleteConnectionCommand);
  });

  test.each([tooSlow, limited])('that takes nothing closes and forgets it ($name).', async (fault) => {
    sockets.on(PostToConnectionCommand).rejects(fault);
    await expect(postToSocket(own, 'hello')).resolves.toBe(false);
    expect(said()).toEqual(['socket-1 hello', 'socket-1 closed']);
    expect(store).toHaveReceivedCommandWith(DeleteCommand, forgotten);
  });

  test('fails when it can be neither reached nor closed, and then it is not forgotten.', async () => {
    sockets.onAnyCommand().rejects(tooSlow);
    await expect(postToSocket(own, 'hello')).rejects.toBe(tooSlow);
    expect(store).not.toHaveReceivedAnyCommand();
  });

  test('waits for a handshake that goes on, as long as it is told to and the connection is known.', async () => {
    store.on(GetCommand).resolves({ Item: own });
    sockets.on(PostToConnectionCommand).rejectsOnce(gone()).rejectsOnce(gone()).resolves({});
    await expect(postToSocket(own, 'hello', [1, 1])).resolves.toBe(true);
    expect(said()).toHaveLength(3);
    expect(store).not.toHaveReceivedCommand(DeleteCommand);
  });

  test('forgets it when that takes too long.', async () => {
    store.on(GetCommand).resolves({ Item: own });
    sockets.on(PostToConnectionCommand).rejects(gone());
    await expect(postToSocket(own, 'hello', [1, 1])).resolves.toBe(false);
    expect(said()).toHaveLength(3);
    expect(store).toHaveReceivedCommandWith(DeleteCommand, forgotten);
  });

  test('does not wait for one that has left already.', async () => {
    sockets.on(PostToConnectionCommand).rejects(gone());
    await expect(postToSocket(own, 'hello', [60_000])).resolves.toBe(false);
    expect(said()).toHaveLength(1);
  });
});

describe('Closing a socket', () => {
  test.each([
    ['that is open', undefined],
    ['that is gone', gone()],
  ])('%s forgets it.', async (_, fault) => {
    if (fault) sockets.on(DeleteConnectionCommand).rejects(fault);
    await closeSocket(own);
    expect(said()).toEqual(['socket-1 closed']);
    expect(store).toHaveReceivedCommandWith(DeleteCommand, forgotten);
  });

  test('that can not be closed fails, and it stays known for who tries next.', async () => {
    sockets.on(DeleteConnectionCommand).rejects(limited);
    await expect(closeSocket(own)).rejects.toBe(limited);
    expect(store).not.toHaveReceivedAnyCommand();
  });
});

describe('A socket of which nothing is known', () => {
  test('is closed without a word to the store.', async () => {
    await hangUp('socket-1');
    expect(said()).toEqual(['socket-1 closed']);
    expect(store).not.toHaveReceivedAnyCommand();
  });

  test('is waited for while its handshake goes on.', async () => {
    sockets.on(DeleteConnectionCommand).rejectsOnce(gone()).resolves({});
    await hangUp('socket-1', [1]);
    expect(said()).toEqual(['socket-1 closed', 'socket-1 closed']);
  });

  test('is taken for gone when that takes too long, which is no error.', async () => {
    sockets.onAnyCommand().rejects(gone());
    await expect(hangUp('socket-1', [1, 1])).resolves.toBeUndefined();
    expect(said()).toHaveLength(3);
  });

  test('that takes nothing is an error: whoever asks knows no more of it.', async () => {
    sockets.onAnyCommand().rejects(tooSlow);
    await expect(hangUp('socket-1', [1])).rejects.toBe(tooSlow);
    expect(said()).toHaveLength(1);
  });
});
