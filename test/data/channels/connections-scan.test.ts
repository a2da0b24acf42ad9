import { scanConnections } from '../../../data/channels/connections-scan';
import { ScanCommand } from '@aws-sdk/lib-dynamodb';
import { id } from '../../domain/fixtures/samples';
import { connection } from '../fixtures/sockets';
import { givenPages, onlyCommand, sent, store } from '../fixtures/store';

const pages = async () => {
  const found = [];
  for await (const page of scanConnections()) found.push(page);
  return found;
};
const counting = (owner: string, more: object) => ({ channel: owner, connectionId: owner, ttl: 4e9, ...more });

test('scanConnections yields connections and seat counts page by page', async () => {
  const first = connection();
  const waiting = {
    ...connection({ connectionId: 'socket-2' }),
    bufferingSince: 1795775400,
    buffered: [{ text: '{}' }],
  };
  const seats = `seats#${id('share')}`;
  const key = { channel: 'a', connectionId: 'b' };
  const startKeys = givenPages(store.on(ScanCommand), [
    {
      Items: [first, counting(seats, { seats: new Set(['1 1 a']), recount: true })],
      LastEvaluatedKey: key,
    },
    { Items: [waiting, counting('client#client1', { seats: new Set(['1 1 b']) })] },
  ]);
  const { buffered: _, ...follower } = waiting;
  await expect(pages()).resolves.toEqual([
    { connections: [first], counts: [{ owner: seats, shard: 0, seats: new Set(['1 1 a']), recount: true }] },
    { connections: [follower], counts: [{ owner: 'client#client1', shard: 0, seats: new Set(['1 1 b']) }] },
  ]);
  expect(sent()).toMatchObject([{ TableName: 'connections' }, { TableName: 'connections' }]);
  expect(startKeys).toEqual([undefined, key]);
});

test('scanConnections yields a seat count without seats, since a count may have been requested', async () => {
  store.on(ScanCommand).resolves({ Items: [counting('seats#x', { recount: true, counts: 7 })] });
  await expect(pages()).resolves.toEqual([
    { connections: [], counts: [{ owner: 'seats#x', shard: 0, seats: new Set(), recount: true }] },
  ]);
  expect(onlyCommand()['FilterExpression']).toContain(' OR attribute_exists(recount)');
});

test('scanConnections filters out MQTT subscriptions in DynamoDB', async () => {
  store.on(ScanCommand).resolves({});
  await expect(pages()).resolves.toEqual([{ connections: [], counts: [] }]);
  const subscription = { channel: 'mqtt#client1', connectionId: 'client1-1 topic', at: 1, subscribed: true, ttl: 2 };
  const named = String(onlyCommand()['FilterExpression']).match(/(?<=attribute_exists\()\w+/g) ?? [];
  expect(named).toEqual(['expiresAt', 'seats', 'recount']);
  expect(named.filter((name) => Object.hasOwn(subscription, name))).toEqual([]);
});
