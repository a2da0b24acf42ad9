import { DeleteConnectionCommand, PostToConnectionCommand } from '@aws-sdk/client-apigatewaymanagementapi';
import { DeleteCommand, GetCommand, ScanCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { handler } from '../../../lambdas/channels/heartbeat.lambda';
import { connection, gone, socketCalls, sockets } from '../../data/fixtures/sockets';
import { store, conditionFailed } from '../../data/fixtures/store';
import { acme, id, rival, sampleShare, partner as activePartner } from '../../domain/fixtures/samples';
import { logLines } from '../fixtures/log';
import type { Follower } from '../../../data/channels/followers';

const partner = (clientId: string, status = 'active') => ({ ...activePartner, clientId, status });
const numbered = (number: number, change: Partial<Follower> = {}): Follower => ({
  ...connection({ connectionId: `socket-${number}` }),
  ...change,
});
const givenItems = (...Items: object[]) => store.on(ScanCommand).resolves({ Items });
/** A minute, one in four, in which all sockets get a heartbeat; Unix ms. */
const EVERYONE = 1_795_776_000_000;
/** Runs the heartbeat this many minutes after that. */
const runAfter = async (minutes: number) => {
  jest.spyOn(Date, 'now').mockReturnValue(EVERYONE + minutes * 60_000);
  await handler();
};
const seconds = (ms: number) => Math.floor(ms / 1000);

beforeEach(() => {
  jest.spyOn(Date, 'now').mockReturnValue(EVERYONE);
  store.onAnyCommand().resolves({});
  store.on(GetCommand).resolves({ Item: partner('client1') });
});

describe('Heartbeat', () => {
  const heartbeat = '{"type":"heartbeat"}';
  /** A share that has not ended. */
  const inForce = sampleShare({ expiresAt: '2099-01-01T00:00:00.000Z' });
  const opened = (secondsAgo: number, minutes = 0) => ({
    openedAt: seconds(EVERYONE) + minutes * 60 - secondsAgo,
    expiresAt: seconds(EVERYONE) + 3600,
  });

  test('sends a heartbeat to every open socket, and reads each client once', async () => {
    const key = { channel: 'x', connectionId: 'y' };
    store
      .on(ScanCommand)
      .resolvesOnce({ Items: [numbered(1), numbered(2)], LastEvaluatedKey: key })
      .resolves({ Items: [numbered(3)] });
    await handler();
    expect(socketCalls().toSorted()).toEqual([1, 2, 3].map((number) => `socket-${number} ${heartbeat}`));
    expect(store).toHaveReceivedCommandTimes(GetCommand, 1);
  });

  test.each([0, 1, 2, 3, 4, 5, 6, 7, 8])(
    'sends to all sockets only every fourth minute: minute %d',
    async (minutes) => {
      givenItems(numbered(1, opened(600, minutes)));
      await runAfter(minutes);
      expect(socketCalls()).toHaveLength(minutes % 4 === 0 ? 1 : 0);
    },
  );

  test('sends to a new socket in the run after its first minute, whichever that is', async () => {
    for (const minutes of [1, 2, 3]) {
      givenItems(numbered(1, opened(60, minutes)), numbered(2, opened(61, minutes)), numbered(3, opened(131, minutes)));
      await runAfter(minutes);
      expect(socketCalls()).toEqual([`socket-2 ${heartbeat}`]);
      sockets.resetHistory();
    }
  });

  test('ignores a socket whose handshake may be open', async () => {
    givenItems(numbered(1, opened(60)), numbered(2, { ...opened(5), clientId: 'client2' }));
    await handler();
    expect(socketCalls()).toEqual([]);
    expect(store).not.toHaveReceivedCommand(GetCommand);
  });

  test('sends to a telemetry socket once, whatever it follows', async () => {
    const channels = ['session#socket-1', `telemetry#${id('device')}`, `telemetry#${id('group')}`];
    givenItems(...channels.map((channel) => numbered(1, { channel, session: true })));
    await handler();
    expect(socketCalls()).toEqual([`socket-1 ${heartbeat}`]);
  });

  describe('A socket that waits for its snapshot', () => {
    const waiting = (secondsAgo: number) => ({ bufferingSince: seconds(EVERYONE) - secondsAgo });

    test('is closed after more than a minute, so that its client reconnects', async () => {
      givenItems(numbered(1, waiting(61)));
      await handler();
      expect(socketCalls()).toEqual(['socket-1 closed']);
      expect(store).toHaveReceivedCommandTimes(DeleteCommand, 1);
    });

    test('is ignored for the first minute', async () => {
      givenItems(numbered(1, waiting(60)), numbered(2, waiting(0)));
      await handler();
      expect(socketCalls()).toEqual([]);
    });

    test('is closed in any minute, not only every fourth', async () => {
      givenItems(numbered(1, waiting(61 - 60)));
      await runAfter(1);
      expect(socketCalls()).toEqual(['socket-1 closed']);
    });
  });

  test('deletes a socket that disconnected without notice', async () => {
    givenItems(numbered(1), numbered(2));
    sockets.on(PostToConnectionCommand, { ConnectionId: 'socket-1' }).rejects(gone());
    await handler();
    expect(socketCalls()).toHaveLength(2);
    expect(store).toHaveReceivedCommandTimes(DeleteCommand, 1);
    expect(store).toHaveReceivedCommandWith(DeleteCommand, {
      Key: { channel: connection().channel, connectionId: 'socket-1' },
    });
  });

  test('closes a socket whose token has expired in any minute, without a read', async () => {
    givenItems(numbered(1, { expiresAt: seconds(EVERYONE) + 60 }));
    await runAfter(1);
    expect(socketCalls()).toEqual(['socket-1 closed']);
    expect(store).not.toHaveReceivedCommand(GetCommand);
  });

  test('closes a viewer of an expired share only if the final message has not closed it within a minute', async () => {
    const viewer = (number: number, secondsAgo: number) =>
      numbered(number, {
        clientId: undefined,
        session: true,
        shareCode: id('share'),
        channel: `session#socket-${number}`,
        openedAt: seconds(EVERYONE) - 600,
        expiresAt: seconds(EVERYONE) - secondsAgo,
      });
    givenItems(viewer(1, 60.001), viewer(2, 60), viewer(3, 0.001));
    await handler();
    expect(socketCalls()).toEqual(['socket-1 closed']);
  });

  test.each([
    ['is suspended', partner('client2', 'suspended')],
    ['was deleted', undefined],
  ])('closes only the sockets of a partner that %s', async (_, Item) => {
    store.on(GetCommand, { Key: { clientId: 'client2' } }).resolves(Item ? { Item } : {});
    givenItems(numbered(1, { clientId: 'client2' }), numbered(2), numbered(3, { clientId: 'client2' }));
    await handler();
    expect(socketCalls().toSorted()).toEqual(['socket-1 closed', `socket-2 ${heartbeat}`, 'socket-3 closed']);
  });

  test('closes the sockets that a partner opened before its tokens were revoked, however late', async () => {
    const tokensFrom = seconds(EVERYONE) - 300;
    store.on(GetCommand).resolves({ Item: { ...partner('client1'), tokensFrom } });
    givenItems(numbered(1, { openedAt: tokensFrom - 1 }), numbered(2, { openedAt: tokensFrom }));
    await handler();
    expect(socketCalls().toSorted()).toEqual(['socket-1 closed', `socket-2 ${heartbeat}`]);
  });

  test.each([
    ['is suspended', { status: 'suspended' }, 'closed'],
    ['is active again', { status: 'active' }, heartbeat],
    ['was registered before there was a status', {}, heartbeat],
  ])('checks the organisation of a viewer’s share: one that %s', async (_, organisation, expected) => {
    const viewer = (number: number, change = {}) =>
      numbered(number, {
        clientId: undefined,
        session: true,
        openedAt: 1,
        shareCode: id('share'),
        channel: `session#socket-${number}`,
        ...change,
      });
    const known = { organisation: acme, name: 'Acme', createdAt: 'x', ...organisation };
    store.on(GetCommand, { Key: { clientId: `org-${acme}` } }).resolves({ Item: known });
    store.on(GetCommand, { Key: { clientId: `org-${rival}` } }).resolves({ Item: { status: 'active' } });
    store.on(GetCommand, { TableName: 'shares' }).resolves({ Item: inForce });
    givenItems(viewer(1), viewer(2), viewer(3, { shareCode: id('share', rival) }));
    await handler();
    expect(socketCalls().toSorted()).toEqual([`socket-1 ${expected}`, `socket-2 ${expected}`, `socket-3 ${heartbeat}`]);
    const read = store.commandCalls(GetCommand).map(({ args: [{ input }] }) => input.TableName);
    expect(read.filter((table) => table === 'partners')).toHaveLength(2);
  });

  test('closes the viewers of a share that has ended, whose last message was lost, and reads each share once', async () => {
    const viewer = (number: number, shareCode: string) =>
      numbered(number, {
        clientId: undefined,
        session: true,
        openedAt: 1,
        shareCode,
        channel: `session#socket-${number}`,
      });
    const [ended, other] = [id('share'), id('share', rival)];
    store.on(GetCommand, { TableName: 'partners' }).resolves({ Item: { status: 'active' } });
    store.on(GetCommand, { Key: { organisation: rival, shareCode: other } }).resolves({ Item: inForce });
    store.on(GetCommand, { Key: { organisation: acme, shareCode: ended } }).resolves({});
    givenItems(viewer(1, ended), viewer(2, ended), viewer(3, other));
    await handler();
    expect(socketCalls().toSorted()).toEqual(['socket-1 closed', 'socket-2 closed', `socket-3 ${heartbeat}`]);
    const read = store.commandCalls(GetCommand).map(({ args: [{ input }] }) => input.TableName);
    expect(read.filter((table) => table === 'shares')).toHaveLength(2);
  });

  test('sends to the other sockets when one fails or its partner cannot be read', async () => {
    store.on(GetCommand, { Key: { clientId: 'client2' } }).rejects(new Error('throttled'));
    const broken = Object.assign(new Error('busy'), { name: 'LimitExceededException' });
    sockets.on(PostToConnectionCommand).rejects(broken);
    sockets.on(DeleteConnectionCommand).rejects(broken);
    sockets.on(PostToConnectionCommand, { ConnectionId: 'socket-3' }).resolves({});
    givenItems(numbered(1, { clientId: 'client2' }), numbered(2), numbered(3));
    await handler();
    expect(socketCalls()).toContain(`socket-3 ${heartbeat}`);
    expect(socketCalls().filter((line) => line.startsWith('socket-1'))).toEqual([]);
    expect(
      logLines()
        .map(({ level, connectionId }) => [level, connectionId])
        .toSorted(),
    ).toEqual([
      ['WARN', 'socket-1'],
      ['WARN', 'socket-2'],
    ]);
  });

  test('fails when connections cannot be read', async () => {
    store.on(ScanCommand).rejects(new Error('throttled'));
    await expect(handler()).rejects.toThrow('throttled');
  });
});

describe('A socket that ends soon', () => {
  const end = (left: number) => seconds(EVERYONE) + 60 + left;
  /** A socket that ends this many seconds after the first minute, by its token unless it was opened two hours before. */
  const ending = (left: number, change: Partial<Follower> = {}) => numbered(1, { expiresAt: end(left), ...change });
  const warning = (left: number, reason = 'token') =>
    `socket-1 ${JSON.stringify({ type: 'expiring', expiresAt: new Date(end(left) * 1000).toISOString(), reason })}`;

  test.each([60, 61, 100, 179])('is warned %d seconds before, without another read', async (left) => {
    givenItems(ending(left));
    await runAfter(1);
    expect(socketCalls()).toEqual([warning(left)]);
    expect(store).toHaveReceivedCommandTimes(GetCommand, 1);
  });

  test.each([1, 59, 180, 3600])('is not warned %d seconds before', async (left) => {
    givenItems(ending(left));
    await runAfter(1);
    expect(socketCalls()).toEqual([]);
    expect(store).not.toHaveReceivedCommand(UpdateCommand);
  });

  test('is told by the reason connection that a new token does not help', async () => {
    givenItems(ending(90, { openedAt: end(90) - 7200 }));
    await runAfter(1);
    expect(socketCalls()).toEqual([warning(90, 'connection')]);
  });

  test('is warned in place of the heartbeat', async () => {
    givenItems(ending(20));
    await handler();
    expect(socketCalls()).toEqual([warning(20)]);
  });

  test('is warned once, and again of the end that a renewal has set', async () => {
    givenItems(ending(90, { warnedOf: end(90) }));
    await runAfter(1);
    expect(socketCalls()).toEqual([]);
    givenItems(ending(90, { warnedOf: end(90) - 3600 }));
    await runAfter(1);
    expect(socketCalls()).toEqual([warning(90)]);
    expect(store).toHaveReceivedCommandWith(UpdateCommand, {
      TableName: 'connections',
      ExpressionAttributeValues: { ':warnedOf': end(90) },
    });
  });

  test('is not warned when it has been renewed since it was read', async () => {
    store.on(UpdateCommand).rejects(conditionFailed());
    givenItems(ending(90));
    await runAfter(1);
    expect(socketCalls()).toEqual([]);
  });

  test('is not warned when the warning cannot be noted, but by the next run', async () => {
    store.on(UpdateCommand).rejectsOnce(new Error('throttled')).resolves({});
    givenItems(ending(125));
    await runAfter(1);
    expect(socketCalls()).toEqual([]);
    expect(logLines()).toMatchObject([{ level: 'WARN', connectionId: 'socket-1' }]);
    await runAfter(2);
    expect(socketCalls()).toEqual([warning(125)]);
  });

  test('is warned once however many subscriptions it has', async () => {
    const channels = ['session#socket-1', `telemetry#${id('device')}`, `telemetry#${id('group')}`];
    givenItems(...channels.map((channel) => ending(90, { channel, session: true })));
    await runAfter(1);
    expect(socketCalls()).toEqual([warning(90)]);
  });

  test('is not warned when it is a viewer’s', async () => {
    const viewer = { clientId: undefined, shareCode: id('share'), session: true, channel: 'session#socket-1' } as const;
    givenItems(ending(90, viewer));
    await runAfter(1);
    expect(socketCalls()).toEqual([]);
  });

  test('is not warned in its first minute, while its handshake may be open', async () => {
    givenItems(ending(90, { openedAt: seconds(EVERYONE) + 5 }));
    await runAfter(1);
    expect(socketCalls()).toEqual([]);
  });

  test('is warned once in time by runs that are up to two minutes apart', async () => {
    for (const interval of [45, 60, 90, 120])
      for (let phase = 0; phase < interval; phase += 15) {
        const item = ending(300 + phase);
        const warned: number[] = [];
        for (let at = 60; at < 60 + 300 + phase; at += interval) {
          sockets.resetHistory();
          givenItems({ ...item, ...(warned.length > 0 && { warnedOf: item.expiresAt }) });
          await runAfter(at / 60);
          if (socketCalls().some((call) => call.includes('expiring')))
            warned.push(item.expiresAt - seconds(EVERYONE) - at);
        }
        expect(warned).toHaveLength(1);
        expect(warned[0]).toBeGreaterThanOrEqual(60);
        expect(warned[0]).toBeLessThan(180);
      }
  });
});
