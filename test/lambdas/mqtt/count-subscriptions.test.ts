import { PutCommand, QueryCommand } from '../../../data/store/document-client';
import { broker } from '../../data/fixtures/topics';
import { DeleteConnectionCommand } from '@aws-sdk/client-iot-data-plane';
import { MAX_SUBSCRIPTIONS } from '../../../contract/channels';
import { handler } from '../../../lambdas/mqtt/count-subscriptions';
import { sent, store } from '../../data/fixtures/store';
import { logLines } from '../fixtures/log';

const clientId = 'a1b2c3d4e5f6g7h8i9j0k1l2m3';
const channel = `mqtt#${clientId}`;
const start = Date.now();

/** Notes of a connection about as many topics, each a millisecond later. */
const notes = (connection: string, count: number, from = start) =>
  Array.from({ length: count }, (_, index) => ({
    channel,
    connectionId: `${clientId}-${connection} topic-${connection}-${index}`,
    at: from + index,
    stands: true,
    ttl: Math.ceil(start / 1000) + 3600,
  }));
const held = (...Items: object[]) => store.on(QueryCommand).resolves({ Items });
const event = (eventType: string, connection: string, topics?: string[], timestamp = start) =>
  handler({ clientId: `${clientId}-${connection}`, timestamp, eventType, ...(topics && { topics }) });
const ended = () => broker.commandCalls(DeleteConnectionCommand).map(({ args: [{ input }] }) => input.clientId);

beforeEach(() => {
  store.onAnyCommand().resolves({});
});

describe('Subscribing', () => {
  test('is noted for each topic, and a client with 100 subscriptions is left alone.', async () => {
    held(...notes('1', 50), ...notes('2', MAX_SUBSCRIPTIONS - 50));
    await event('subscribed', '2', ['a/JOB/STATUS', 'b/JOB/STATUS']);
    expect(store.commandCalls(PutCommand).map(({ args: [{ input }] }) => input.Item)).toMatchObject([
      { channel, connectionId: `${clientId}-2 a/JOB/STATUS`, stands: true, at: start },
      { channel, connectionId: `${clientId}-2 b/JOB/STATUS`, stands: true, at: start },
    ]);
    expect(ended()).toEqual([]);
  });

  test('beyond 100 ends the connection that went beyond, whichever event tells of it.', async () => {
    const all = [...notes('1', 50, start - 200), ...notes('2', 50, start - 100), ...notes('3', 1)];
    for (const connection of ['3', '1']) {
      broker.resetHistory();
      held(...all);
      await event('subscribed', connection, ['x'], start - 200);
      expect(ended()).toEqual([`${clientId}-3`]);
    }
    expect(logLines()).toMatchObject([
      { level: 'WARN', clientId },
      { level: 'WARN', clientId },
    ]);
  });

  test('beyond 100 is forgotten with its connection, and is not counted against the next one.', async () => {
    held(...notes('1', 50, start - 200), ...notes('2', 50, start - 100), ...notes('3', 1));
    await event('subscribed', '3', ['x']);
    expect(store).toHaveReceivedCommandWith(PutCommand, {
      Item: expect.objectContaining({ connectionId: `${clientId}-3 `, at: start + 1, stands: false }) as object,
    });
  });

  test('ends no connection that has ended already.', async () => {
    broker.on(DeleteConnectionCommand).rejects(Object.assign(new Error('none'), { name: 'ResourceNotFoundException' }));
    held(...notes('1', MAX_SUBSCRIPTIONS + 1));
    await expect(event('subscribed', '1', ['x'])).resolves.toBeUndefined();
  });
});

test('What is given up is noted, and nobody is counted.', async () => {
  await event('unsubscribed', '1', ['a/JOB/STATUS']);
  expect(sent()).toMatchObject([{ Item: { connectionId: `${clientId}-1 a/JOB/STATUS`, stands: false } }]);
});

test.each(['connected', 'disconnected'])('A client that has %s holds nothing of before.', async (eventType) => {
  await event(eventType, '1');
  expect(store).toHaveReceivedCommandWith(PutCommand, {
    Item: expect.objectContaining({ connectionId: `${clientId}-1 `, at: start, stands: false }) as object,
  });
  expect(ended()).toEqual([]);
});

test.each(['drone-7', '', 'iotconsole-1234'])('What "%s" does is no business of ours.', async (mqttClientId) => {
  await handler({ clientId: mqttClientId, timestamp: start, eventType: 'subscribed', topics: ['x'] });
  expect(store).not.toHaveReceivedAnyCommand();
});

test('An event that is none, and a store that fails, are errors: the rule tries again.', async () => {
  await expect(handler({ clientId })).rejects.toMatchObject({ name: '$ZodError' });
  store.on(PutCommand).rejects(new Error('throttled'));
  await expect(event('subscribed', '1', ['x'])).rejects.toThrow('throttled');
});
