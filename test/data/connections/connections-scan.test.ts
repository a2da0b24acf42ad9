import { allItems } from '../../../data/connections/connections-scan';
import { ScanCommand } from '../../../data/store/document-client';
import { id } from '../../domain/fixtures/samples';
import { connection } from '../fixtures/sockets';
import { onlyCommand, sent, store } from '../fixtures/store';

const pages = async () => {
  const found = [];
  for await (const page of allItems()) found.push(page);
  return found;
};
const counting = (owner: string, more: object) => ({ channel: owner, connectionId: owner, ttl: 4e9, ...more });

test('All that is connected comes page by page, and beside it what counts places.', async () => {
  const waiting = { ...connection({ connectionId: 'socket-2' }), waits: 1795775400, held: [{ text: '{}' }] };
  const seats = `seats#${id('share')}`;
  const key = { channel: 'a', connectionId: 'b' };
  store
    .on(ScanCommand)
    .resolvesOnce({
      Items: [connection(), counting(seats, { held: new Set(['1 1 a']), recount: true })],
      LastEvaluatedKey: key,
    })
    .resolves({ Items: [waiting, counting('client#client1', { held: new Set(['1 1 b']) })] });
  const { held: _, ...follower } = waiting;
  await expect(pages()).resolves.toEqual([
    { connections: [connection()], counts: [{ owner: seats, held: new Set(['1 1 a']), recount: true }] },
    { connections: [follower], counts: [{ owner: 'client#client1', held: new Set(['1 1 b']) }] },
  ]);
  expect(sent()).toMatchObject([{ TableName: 'connections' }, { ExclusiveStartKey: key }]);
  expect(sent()[0]).not.toHaveProperty('ExclusiveStartKey');
});

test('What counts places is found also when none is taken any more: somebody may have been asked to tell so.', async () => {
  store.on(ScanCommand).resolves({ Items: [counting('seats#x', { recount: true, counts: 7 })] });
  await expect(pages()).resolves.toEqual([
    { connections: [], counts: [{ owner: 'seats#x', held: new Set(), recount: true }] },
  ]);
  expect(onlyCommand()['FilterExpression']).toContain(' OR attribute_exists(recount)');
});

test('Subscriptions over MQTT, which are in the same table, are left out by the store.', async () => {
  store.on(ScanCommand).resolves({});
  await expect(pages()).resolves.toEqual([{ connections: [], counts: [] }]);
  const subscription = { channel: 'mqtt#client1', connectionId: 'client1-1 topic', at: 1, stands: true, ttl: 2 };
  const named = String(onlyCommand()['FilterExpression']).match(/(?<=attribute_exists\()\w+/g) ?? [];
  expect(named).toEqual(['expiresAt', 'held', 'recount']);
  expect(named.filter((name) => Object.hasOwn(subscription, name))).toEqual([]);
});
