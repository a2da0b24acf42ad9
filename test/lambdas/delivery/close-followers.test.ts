import { DeleteConnectionCommand, PostToConnectionCommand } from '@aws-sdk/client-apigatewaymanagementapi';
import { DeleteCommand, GetCommand, QueryCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import type { Follower } from '../../../data/connections/followers';
import { handler } from '../../../lambdas/http/shares/revoke-share';
import { connection, gone, socketCalls, sockets } from '../../data/fixtures/sockets';
import { conditionFailed, repeated, store } from '../../data/fixtures/store';
import { id } from '../../domain/fixtures/samples';
import { call } from '../fixtures/api-gateway';
import { logLines, written } from '../fixtures/log';
import { closed, sentTo, shareItem } from '../fixtures/telemetry';

const shareCode = id('share');
const revoke = () => call(handler, { scopes: ['share:manage'], path: { shareCode } });
const deletion = () => store.on(DeleteCommand, { TableName: 'shares' });
const follower = (connectionId: string, change: Partial<Follower> = {}): Follower => {
  const { clientId: _, ...viewer } = connection({ connectionId, channel: `share#${shareCode}`, shareCode, ...change });
  return viewer;
};
const givenFollowers = (...followers: Follower[]) =>
  store
    .on(QueryCommand, { ExpressionAttributeValues: { ':channel': `share#${shareCode}` } })
    .resolves({ Items: followers });

beforeEach(() => {
  store.resolves({});
  store.on(UpdateCommand, { TableName: 'connections' }).rejects(conditionFailed());
  deletion().resolves({ Attributes: shareItem({ version: 4, currentViewers: 2 }) });
});

describe('Revoking a share', () => {
  test('sends its followers the final message and closes them all before it answers', async () => {
    givenFollowers(follower('one'), follower('other'));
    const open = new Set(['one', 'other']);
    sockets.on(DeleteConnectionCommand).callsFake(async ({ ConnectionId }: { ConnectionId: string }) => {
      await new Promise((done) => setTimeout(done, 20));
      open.delete(ConnectionId);
      return {};
    });
    await expect(revoke()).resolves.toMatchObject({ status: 200 });
    expect([...open]).toEqual([]);
    for (const name of ['one', 'other']) {
      const last = { type: 'share.status', shareState: 'REVOKED', sequence: 5, currentViewers: 0 };
      expect(sentTo(name)).toMatchObject([last]);
      expect(
        socketCalls()
          .filter((line) => line.startsWith(name))
          .at(-1),
      ).toBe(`${name} closed`);
    }
  });

  test('leaves viewers who take samples from the topic of a wide share to the invocation of its end', async () => {
    deletion().resolves({ Attributes: shareItem({ maxViewers: 51 }) });
    givenFollowers(follower('one'), follower('reader', { broadcast: 'topic' }));
    await expect(revoke()).resolves.toMatchObject({ status: 200 });
    expect(closed()).toEqual(['one']);
  });

  test('writes nothing for a viewer, also when it has left: its seat ends with the share', async () => {
    givenFollowers(follower('one'), follower('left'));
    sockets.on(PostToConnectionCommand, { ConnectionId: 'left' }).rejects(gone());
    await revoke();
    expect(store).toHaveReceivedCommandTimes(DeleteCommand, 1);
    expect(store).toHaveReceivedCommandTimes(UpdateCommand, 1);
    expect(store).toHaveReceivedCommandWith(UpdateCommand, { TableName: 'shares' });
  });

  test('closes a viewer that takes no message', async () => {
    givenFollowers(follower('slow'));
    sockets.on(PostToConnectionCommand).rejects(new Error('timed out'));
    await expect(revoke()).resolves.toMatchObject({ status: 200 });
    expect(closed()).toEqual(['slow']);
  });

  test('reads the followers after the share is deleted, so that a later viewer finds no share', async () => {
    givenFollowers(follower('one'));
    await revoke();
    const order = store.calls().map(({ args: [command] }) => command.constructor.name);
    expect(order.slice(0, 3)).toEqual(['UpdateCommand', 'DeleteCommand', 'QueryCommand']);
  });

  test('closes followers that wait for their snapshot too, after the final message', async () => {
    givenFollowers(follower('waiting', { bufferingSince: 1 }), follower('one'));
    await revoke();
    expect(closed().toSorted()).toEqual(['one', 'waiting']);
    expect(sentTo('waiting')).toMatchObject([{ type: 'share.status', shareState: 'REVOKED', sequence: 5 }]);
    expect(
      socketCalls()
        .filter((line) => line.startsWith('waiting'))
        .at(-1),
    ).toBe('waiting closed');
  });

  test('closes a viewer who connects at this moment, as soon as its handshake has finished', async () => {
    givenFollowers(follower('waiting', { bufferingSince: 1 }));
    store.on(GetCommand).resolves({ Item: follower('waiting', { bufferingSince: 1 }) });
    sockets.on(PostToConnectionCommand).rejectsOnce(gone()).rejectsOnce(gone()).resolves({});
    await revoke();
    expect(sockets).toHaveReceivedCommandTimes(PostToConnectionCommand, 3);
    expect(closed()).toEqual(['waiting']);
  });

  test('closes a viewer who connects at this moment when there is no final message either', async () => {
    deletion().rejects(repeated());
    givenFollowers(follower('waiting', { bufferingSince: 1 }));
    sockets.on(DeleteConnectionCommand).rejectsOnce(gone()).rejectsOnce(gone()).resolves({});
    await revoke();
    expect(closed()).toHaveLength(3);
  });

  test('closes the followers of all pages', async () => {
    const key = { channel: `share#${shareCode}`, connectionId: 'one' };
    store
      .on(QueryCommand)
      .resolvesOnce({ Items: [follower('one')], LastEvaluatedKey: key })
      .resolves({ Items: [follower('other')] });
    await revoke();
    expect(closed()).toEqual(['one', 'other']);
  });

  test('succeeds when a follower has disconnected already', async () => {
    givenFollowers(follower('left'), follower('one'));
    sockets.on(PostToConnectionCommand, { ConnectionId: 'left' }).rejects(gone());
    sockets.on(DeleteConnectionCommand, { ConnectionId: 'left' }).rejects(gone());
    await expect(revoke()).resolves.toMatchObject({ status: 200 });
    expect(closed()).toContain('one');
    expect(logLines().filter(({ level }) => level === 'ERROR')).toEqual([]);
  });

  test('succeeds when a socket cannot be closed, which is logged: the heartbeat closes it', async () => {
    givenFollowers(follower('stuck'), follower('one'));
    sockets.on(DeleteConnectionCommand, { ConnectionId: 'stuck' }).rejects(new Error('timed out'));
    await expect(revoke()).resolves.toMatchObject({ status: 200 });
    expect(closed()).toContain('one');
    expect(store).not.toHaveReceivedCommandWith(DeleteCommand, {
      Key: { channel: `share#${shareCode}`, connectionId: 'stuck' },
    });
    expect(logLines().filter(({ level }) => level === 'ERROR')).toMatchObject([{ connectionId: 'stuck' }]);
    expect(written.join()).not.toContain(shareCode);
  });

  test('closes its followers when the SDK repeats the deletion because the answer was lost', async () => {
    deletion().rejects(repeated());
    givenFollowers(follower('one'));
    await expect(revoke()).resolves.toMatchObject({ status: 200 });
    expect(socketCalls()).toEqual(['one closed']);
  });

  test('closes no socket when the share does not exist', async () => {
    deletion().rejects(conditionFailed());
    givenFollowers(follower('one'));
    await expect(revoke()).resolves.toMatchObject({ status: 404 });
    expect(sockets).not.toHaveReceivedAnyCommand();
  });
});
