import { DeleteCommand, PutCommand, QueryCommand } from '../../../data/store/document-client';
import { clientsBeyond, forgetSubscriptions, noteSubscription } from '../../../data/connections/subscriptions';
import { conditionFailed, sent, store } from '../fixtures/store';

const now = 1795775400000;
const note = (mqttClient: string, topic: string, at: number, stands = true) => ({
  channel: 'mqtt#client1',
  connectionId: `${mqttClient} ${topic}`,
  at,
  stands,
  ttl: Math.ceil(at / 1000) + 3600,
});
const beyond = (max: number, ...Items: object[]) => {
  store.on(QueryCommand).resolves({ Items });
  return clientsBeyond('client1', max, now);
};

describe('Noting a subscription', () => {
  test('keeps the later of two events about it, in whatever order they come.', async () => {
    store.on(PutCommand).resolves({});
    await noteSubscription('client1', 'client1-1', 'a/JOB/STATUS', true, now);
    expect(sent()).toEqual([
      {
        TableName: 'connections',
        Item: note('client1-1', 'a/JOB/STATUS', now),
        ConditionExpression: 'attribute_not_exists(connectionId) OR #at < :at',
        ExpressionAttributeNames: { '#at': 'at' },
        ExpressionAttributeValues: { ':at': now },
      },
    ]);
  });

  test('that is older than what is known changes nothing; a store that fails is an error.', async () => {
    store.on(PutCommand).rejects(conditionFailed());
    await expect(noteSubscription('client1', 'client1-1', 'a', false, now)).resolves.toBeUndefined();
    const fault = new Error('throttled');
    store.on(PutCommand).rejects(fault);
    await expect(noteSubscription('client1', 'client1-1', 'a', false, now)).rejects.toBe(fault);
  });
});

describe('Beyond its subscriptions is', () => {
  test('nobody while there are as many as there may be.', async () => {
    await expect(beyond(2, note('client1-1', 'a', now), note('client1-2', 'b', now))).resolves.toEqual([]);
  });

  test('the connection with the last ones, however they are listed, each once.', async () => {
    const notes = [note('client1-2', 'c', 3), note('client1-2', 'd', 4), note('client1-1', 'a', 1)];
    const current = notes.map((each) => ({ ...each, ttl: now }));
    await expect(beyond(1, ...current)).resolves.toEqual(['client1-2']);
    await expect(beyond(1, ...current.toReversed())).resolves.toEqual(['client1-2']);
    await expect(beyond(0, ...current)).resolves.toEqual(['client1-1', 'client1-2']);
  });

  test('the connection that came last, whatever its name.', async () => {
    const [first, last] = [note('client1-2', 'b', now - 1), note('client1-1', 'a', now)];
    await expect(beyond(1, last, first)).resolves.toEqual(['client1-1']);
  });

  test('not one with what was given up, or what no session can hold any more.', async () => {
    const old = note('client1-3', 'c', now - 3600_001);
    await expect(beyond(1, note('client1-1', 'a', now), note('client1-2', 'b', now, false), old)).resolves.toEqual([]);
  });

  test('not one with what was subscribed to before its session began or ended, though it is heard of late.', async () => {
    const session = note('client1-2', '', now, false);
    const [late, current] = [note('client1-2', 'b', now - 1), note('client1-2', 'c', now)];
    await expect(beyond(1, note('client1-1', 'a', now - 5), session, late)).resolves.toEqual([]);
    await expect(beyond(1, note('client1-1', 'a', now - 5), session, late, current)).resolves.toEqual(['client1-2']);
  });

  test('found over all pages, as of now.', async () => {
    const key = { channel: 'mqtt#client1', connectionId: 'x' };
    store
      .on(QueryCommand)
      .resolvesOnce({ Items: [note('client1-1', 'a', now - 1)], LastEvaluatedKey: key })
      .resolves({ Items: [note('client1-2', 'b', now)] });
    await expect(clientsBeyond('client1', 1, now)).resolves.toEqual(['client1-2']);
    expect(sent()).toMatchObject([{ ConsistentRead: true }, { ExclusiveStartKey: key }]);
  });
});

describe('Forgetting the subscriptions of a session', () => {
  test('notes when it was, and removes what is older.', async () => {
    store.onAnyCommand().resolves({});
    const session = note('client1-1', '', now, false);
    const [old, same] = [note('client1-1', 'a', now - 1), note('client1-1', 'b', now)];
    store.on(QueryCommand).resolves({ Items: [session, old, same] });
    await forgetSubscriptions('client1', 'client1-1', now);
    expect(store).toHaveReceivedCommandWith(PutCommand, { Item: session });
    expect(store).toHaveReceivedCommandWith(QueryCommand, {
      KeyConditionExpression: 'channel = :key AND begins_with(connectionId, :prefix)',
      ExpressionAttributeValues: { ':key': 'mqtt#client1', ':prefix': 'client1-1 ' },
    });
    expect(store.commandCalls(DeleteCommand).map(({ args: [{ input }] }) => input.Key)).toEqual([
      { channel: 'mqtt#client1', connectionId: 'client1-1 a' },
    ]);
  });
});
