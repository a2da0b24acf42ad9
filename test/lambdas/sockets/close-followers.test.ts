import '../fixtures/clock';
import { DeleteConnectionCommand, PostToConnectionCommand } from '@aws-sdk/client-apigatewaymanagementapi';
import { DeleteCommand, GetCommand, QueryCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import type { Follower } from '../../../data/channels/followers';
import { handler } from '../../../lambdas/shares/revoke-share.lambda';
import { endLater } from '../../../lambdas/sockets/close-followers';
import { endFollowers } from '../../../lambdas/sockets/send-to-followers';
import type { StatusMessage } from '../../../domain/channels/status-message';
import { connection, gone, socketCalls, sockets } from '../../data/fixtures/sockets';
import { conditionFailed, repeated, store } from '../../data/fixtures/store';
import { id } from '../../domain/fixtures/samples';
import { postToSocket } from '../../../data/channels/sockets';
import { call } from '../fixtures/api-gateway';
import { logLines, written } from '../fixtures/log';
import { closed, sentTo, shareItem } from '../fixtures/telemetry';

const shareCode = id('share');
const channel = `share#${shareCode}`;
/** The mark that a state of the share is being sent. */
const mark = { channel: `sending#${shareCode}`, connectionId: 'sending' };
/** The same as it is stored. */
const marked = (until = Date.now() + 60_000) => ({ Item: { ...mark, until } });
const revoke = () => call(handler, { scopes: ['share:manage'], path: { shareCode } });
const deletion = () => store.on(DeleteCommand, { TableName: 'shares' });
const follower = (connectionId: string, change: Partial<Follower> = {}): Follower => {
  const { clientId: _, ...viewer } = connection({ connectionId, channel, shareCode, ...change });
  return viewer;
};
const partner = () => connection({ connectionId: 'partner', channel });
const givenFollowers = (...followers: Follower[]) =>
  store.on(QueryCommand, { ExpressionAttributeValues: { ':channel': channel } }).resolves({ Items: followers });
/** Whether a state of the share is being sent: each time that somebody looks. */
const givenSending = (...looks: boolean[]) => {
  const looking = store.on(GetCommand, { Key: mark });
  for (const isSending of looks.slice(0, -1)) looking.resolvesOnce(isSending ? marked() : {});
  looking.resolves(looks.at(-1) ? marked() : {});
};
/** A state is being sent for long: the clock jumps with each look. */
const givenSendingForLong = () => {
  jest.useFakeTimers({ advanceTimers: true, doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask', 'performance'] });
  store.on(GetCommand, { Key: mark }).callsFake(() => {
    jest.advanceTimersByTime(4000);
    return marked();
  });
};
const looks = () => store.commandCalls(GetCommand, { Key: mark }).length;
const errors = () => logLines().filter(({ level }) => level === 'ERROR');
const now = () => Math.floor(Date.now() / 1000);

beforeEach(() => {
  store.resolves({});
  store.on(UpdateCommand, { TableName: 'connections' }).rejects(conditionFailed());
  deletion().resolves({ Attributes: shareItem({ version: 4, currentViewers: 2 }) });
});

describe('Revoking a share', () => {
  const last = { type: 'share.status', shareState: 'REVOKED', sequence: 5, currentViewers: 0 };

  test('sends its viewers the final message and closes them all before it answers', async () => {
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
      expect(sentTo(name)).toMatchObject([last]);
      expect(
        socketCalls()
          .filter((line) => line.startsWith(name))
          .at(-1),
      ).toBe(`${name} closed`);
    }
  });

  test('leaves the followers of its channel to the stream, whose message has a cursor', async () => {
    givenFollowers(follower('one'), partner());
    await expect(revoke()).resolves.toMatchObject({ status: 200 });
    expect(sentTo('partner')).toEqual([]);
    expect(closed()).toEqual(['one']);
  });

  test('sends nothing while a state is still being sent, which would follow it', async () => {
    givenFollowers(follower('one'));
    givenSending(true, true, false);
    let before: number | undefined;
    sockets.on(PostToConnectionCommand).callsFake(() => {
      before ??= looks();
      return {};
    });
    await expect(revoke()).resolves.toMatchObject({ status: 200 });
    expect(before).toBe(3);
    expect(sentTo('one')).toMatchObject([last]);
  });

  test('does not wait for a mark that an ended function has left behind', async () => {
    givenFollowers(follower('one'));
    store.on(GetCommand, { Key: mark }).resolves(marked(Date.now() - 1));
    await expect(revoke()).resolves.toMatchObject({ status: 200 });
    expect(looks()).toBe(1);
    expect(sentTo('one')).toMatchObject([last]);
  });

  test('stops the samples of its viewers before it waits', async () => {
    givenFollowers(follower('one'), follower('other'), partner());
    let stopped: unknown[] = [];
    store.on(GetCommand, { Key: mark }).callsFake(() => {
      const deleted = store.commandCalls(DeleteCommand, { TableName: 'connections' });
      stopped = deleted.map(({ args: [{ input }] }) => input.Key);
      return {};
    });
    await revoke();
    expect(stopped).toEqual(
      ['one', 'other'].map((connectionId) => ({ channel: `telemetry#${id('device')}`, connectionId })),
    );
  });

  test('lets a sample arrive that was on its way when they were stopped', async () => {
    givenFollowers(follower('one'));
    const sample = { type: 'device.telemetry' };
    store.on(DeleteCommand, { TableName: 'connections' }).callsFake(() => {
      setTimeout(() => void postToSocket(follower('one'), JSON.stringify(sample)), 150);
      return {};
    });
    await revoke();
    expect(sentTo('one')).toMatchObject([sample, last]);
  });

  test('waits for a follower that is just being sent its first messages, whose sender closes it', async () => {
    const waiting = follower('waiting', { bufferingSince: now() });
    store.on(UpdateCommand, { TableName: 'connections' }).resolves({});
    const reads = store.on(QueryCommand, { ExpressionAttributeValues: { ':channel': channel } });
    for (let read = 1; read <= 4; read += 1) reads.resolvesOnce({ Items: [waiting] });
    reads.resolves({ Items: [] });
    await revoke();
    expect(store).toHaveReceivedCommandTimes(QueryCommand, 5);
    expect(sockets).not.toHaveReceivedAnyCommand();
  });

  test('waits for nobody when nobody follows', async () => {
    givenFollowers();
    await revoke();
    expect(looks()).toBe(0);
  });

  test('leaves viewers who take samples from the topic of a wide share to the invocation of its end', async () => {
    deletion().resolves({ Attributes: shareItem({ version: 4, maxViewers: 51 }) });
    givenFollowers(follower('one'), follower('reader', { broadcast: 'topic' }));
    await expect(revoke()).resolves.toMatchObject({ status: 200 });
    expect(closed()).toEqual(['one']);
    expect(sentTo('one')).toMatchObject([last]);
  });

  test('reads the followers after the share is deleted, so that a later viewer finds no share', async () => {
    givenFollowers(follower('one'));
    await revoke();
    const order = store.calls().map(({ args: [command] }) => command.constructor.name);
    expect(order.slice(0, 3)).toEqual(['UpdateCommand', 'DeleteCommand', 'QueryCommand']);
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

describe('Revoking a share while a state of it is being sent for long', () => {
  beforeEach(givenSendingForLong);

  test('closes all of its viewers before it answers, without a message: an older one could follow it', async () => {
    givenFollowers(follower('one'), follower('other'), partner());
    const open = new Set(['one', 'other']);
    sockets.on(DeleteConnectionCommand).callsFake(async ({ ConnectionId }: { ConnectionId: string }) => {
      await new Promise((done) => setImmediate(done));
      open.delete(ConnectionId);
      return {};
    });
    await expect(revoke()).resolves.toMatchObject({ status: 200 });
    expect([...open]).toEqual([]);
    expect(sentTo()).toEqual([]);
    expect(logLines()).toContainEqual(expect.objectContaining({ level: 'WARN' }));
  });

  test('writes nothing more for a viewer: its seat ends with the share', async () => {
    givenFollowers(follower('one'));
    await revoke();
    expect(store).toHaveReceivedCommandTimes(DeleteCommand, 2);
    expect(store).toHaveReceivedCommandTimes(UpdateCommand, 1);
  });

  test('closes a viewer who connects at this moment, as soon as its handshake has finished', async () => {
    givenFollowers(follower('waiting', { bufferingSince: 1 }));
    let calls = 0;
    sockets.on(DeleteConnectionCommand).callsFake(() => {
      jest.useRealTimers();
      calls += 1;
      if (calls < 3) throw gone();
      return {};
    });
    await revoke();
    expect(closed()).toHaveLength(3);
  });

  test('closes the followers of all pages', async () => {
    const key = { channel, connectionId: 'one' };
    store
      .on(QueryCommand)
      .callsFake(({ ExclusiveStartKey }: { ExclusiveStartKey?: object }) =>
        ExclusiveStartKey ? { Items: [follower('other')] } : { Items: [follower('one')], LastEvaluatedKey: key },
      );
    await revoke();
    expect(closed()).toEqual(['one', 'other']);
  });

  test('succeeds when a follower has disconnected already', async () => {
    givenFollowers(follower('left'), follower('one'));
    sockets.on(DeleteConnectionCommand, { ConnectionId: 'left' }).rejects(gone());
    await expect(revoke()).resolves.toMatchObject({ status: 200 });
    expect(closed()).toContain('one');
    expect(errors()).toEqual([]);
  });

  test('succeeds when a socket cannot be closed, which is logged: the heartbeat closes it', async () => {
    givenFollowers(follower('stuck'), follower('one'));
    sockets.on(DeleteConnectionCommand, { ConnectionId: 'stuck' }).rejects(new Error('timed out'));
    await expect(revoke()).resolves.toMatchObject({ status: 200 });
    expect(closed()).toContain('one');
    expect(store).not.toHaveReceivedCommandWith(DeleteCommand, { Key: { channel, connectionId: 'stuck' } });
    expect(errors()).toMatchObject([{ connectionId: 'stuck' }]);
    expect(written.join()).not.toContain(shareCode);
  });
});

describe('The followers of a share that an operator has revoked, or whose call has died', () => {
  const end = { type: 'share.status', sequence: 5, shareCode, shareState: 'REVOKED' } as unknown as StatusMessage;

  test.each<['viewers' | 'all', string[]]>([
    ['viewers', ['one']],
    ['all', ['one', 'partner']],
  ])('%s are told and closed when samples on their way have arrived', async (who, told) => {
    givenFollowers(follower('one'), partner());
    const sample = { type: 'device.telemetry' };
    setTimeout(() => void postToSocket(follower('one'), JSON.stringify(sample)), 500);
    await endLater(shareCode, end, who);
    expect(sentTo('one')).toMatchObject([sample, { shareState: 'REVOKED' }]);
    expect(closed().toSorted()).toEqual(told);
  });

  test('are left alone when the call has closed them meanwhile', async () => {
    givenFollowers(partner());
    await endLater(shareCode, end, 'viewers');
    expect(sockets).not.toHaveReceivedAnyCommand();
  });
});

describe('The end of a share', () => {
  const message = {
    type: 'share.status',
    sequence: 5,
    shareCode,
    shareState: 'REVOKED',
    currentViewers: 0,
    maxViewers: 10,
    expiresAt: '2999-01-01T00:00:00.000Z',
    timestamp: '2026-11-27T10:30:00.000Z',
  } as const;
  const end = (shareState: 'REVOKED' | 'EXPIRED' = 'REVOKED') =>
    endFollowers(shareCode, { ...message, shareState, cursor: 'event-1' });

  test('is sent to each follower, to viewers without a cursor, before it is closed', async () => {
    givenFollowers(follower('one'), partner());
    await end();
    expect(sentTo('one')).toEqual([message]);
    expect(sentTo('partner')).toEqual([{ ...message, cursor: 'event-1' }]);
    for (const name of ['one', 'partner'])
      expect(
        socketCalls()
          .filter((line) => line.startsWith(name))
          .at(-1),
      ).toBe(`${name} closed`);
  });

  test('writes nothing for a viewer, also when it has left', async () => {
    givenFollowers(follower('one'), follower('left'));
    sockets.on(PostToConnectionCommand, { ConnectionId: 'left' }).rejects(gone());
    await end('EXPIRED');
    expect(store.calls().map(({ args: [command] }) => command.constructor.name)).toEqual(['QueryCommand']);
  });

  test('closes a viewer that takes no message', async () => {
    givenFollowers(follower('slow'));
    sockets.on(PostToConnectionCommand).rejects(new Error('timed out'));
    await end();
    expect(closed()).toEqual(['slow']);
  });

  test('is left to whoever sends a follower its first messages', async () => {
    const waiting = follower('waiting', { bufferingSince: now() });
    store.on(UpdateCommand, { TableName: 'connections' }).resolves({});
    givenFollowers(waiting);
    await end();
    expect(sockets).not.toHaveReceivedAnyCommand();
    expect(store).toHaveReceivedCommandWith(UpdateCommand, {
      Key: { channel, connectionId: 'waiting' },
      ExpressionAttributeValues: {
        ':empty': [],
        ':buffered': [{ text: JSON.stringify(message), endsChannel: true }],
      },
    });
  });

  test('is sent to a follower that has just been sent its first messages', async () => {
    const waiting = follower('waiting', { bufferingSince: now() });
    store
      .on(UpdateCommand, { Key: { channel, connectionId: 'waiting' } })
      .rejects(conditionFailed(follower('waiting')));
    givenFollowers(waiting);
    await end();
    expect(sentTo('waiting')).toEqual([message]);
    expect(closed()).toEqual(['waiting']);
  });

  test.each([
    ['waits for messages that nobody sends any more', { bufferingSince: 1 }],
    ['has missed a message', { bufferingSince: 4e9, waiting: 'until it is closed' }],
  ])('closes a follower that %s', async (_, change) => {
    givenFollowers(follower('waiting', change));
    await end();
    expect(socketCalls()).toEqual(['waiting closed']);
  });
});
