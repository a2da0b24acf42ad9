import { GetCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import type { Follower } from '../../../data/channels/followers';
import { handler } from '../../../lambdas/channels/heartbeat.lambda';
import { socketCalls, sockets } from '../../data/fixtures/sockets';
import { conditionFailed, store } from '../../data/fixtures/store';
import { id } from '../../domain/fixtures/samples';
import { EVERYONE, givenItems, numbered, runAfter, seconds } from '../fixtures/heartbeat';
import { logLines } from '../fixtures/log';

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
      ExpressionAttributeValues: { ':expiresAt': end(90) },
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
