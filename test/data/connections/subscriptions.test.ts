import { DeleteCommand, PutCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import {
  clientsOverLimit,
  clearSubscriptions,
  countSubscriptions,
  invalidateSubscriptions,
  missingSubscriptions,
  recordSubscription,
} from '../../../data/connections/subscriptions';
import { conditionFailed, sent, store } from '../fixtures/store';

const now = 1795775400000;
const note = (mqttClient: string, topic: string, at: number, subscribed = true) => ({
  channel: 'mqtt#client1',
  connectionId: `${mqttClient} ${topic}`,
  at,
  subscribed,
  ttl: Math.ceil(at / 1000) + 3600,
});
const beyond = (max: number, ...Items: object[]) => {
  store.on(QueryCommand).resolves({ Items });
  return clientsOverLimit('client1', max, now);
};

describe('recordSubscription', () => {
  test('stores only an event that is later than the stored one', async () => {
    store.on(PutCommand).resolves({});
    await recordSubscription('client1', 'client1-1', 'a/JOB/STATUS', true, now);
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

  test('ignores an older event, and passes on errors of DynamoDB', async () => {
    store.on(PutCommand).rejects(conditionFailed());
    await expect(recordSubscription('client1', 'client1-1', 'a', false, now)).resolves.toBeUndefined();
    const fault = new Error('throttled');
    store.on(PutCommand).rejects(fault);
    await expect(recordSubscription('client1', 'client1-1', 'a', false, now)).rejects.toBe(fault);
  });
});

describe('clientsOverLimit', () => {
  test('returns none at the limit', async () => {
    await expect(beyond(2, note('client1-1', 'a', now), note('client1-2', 'b', now))).resolves.toEqual([]);
  });

  test('returns each client with the latest subscriptions once, in any order of items', async () => {
    const notes = [note('client1-2', 'c', 3), note('client1-2', 'd', 4), note('client1-1', 'a', 1)];
    const current = notes.map((each) => ({ ...each, ttl: now }));
    await expect(beyond(1, ...current)).resolves.toEqual(['client1-2']);
    await expect(beyond(1, ...current.toReversed())).resolves.toEqual(['client1-2']);
    await expect(beyond(0, ...current)).resolves.toEqual(['client1-1', 'client1-2']);
  });

  test('returns the client that subscribed last, whatever its name', async () => {
    const [first, last] = [note('client1-2', 'b', now - 1), note('client1-1', 'a', now)];
    await expect(beyond(1, last, first)).resolves.toEqual(['client1-1']);
  });

  test('ignores cancelled and expired subscriptions', async () => {
    const old = note('client1-3', 'c', now - 3600_001);
    await expect(beyond(1, note('client1-1', 'a', now), note('client1-2', 'b', now, false), old)).resolves.toEqual([]);
  });

  test('ignores subscriptions from before the session began or ended, also when their events arrive late', async () => {
    const session = note('client1-2', '', now, false);
    const [late, current] = [note('client1-2', 'b', now - 1), note('client1-2', 'c', now)];
    await expect(beyond(1, note('client1-1', 'a', now - 5), session, late)).resolves.toEqual([]);
    await expect(beyond(1, note('client1-1', 'a', now - 5), session, late, current)).resolves.toEqual(['client1-2']);
  });

  test('reads all pages consistently', async () => {
    const key = { channel: 'mqtt#client1', connectionId: 'x' };
    store
      .on(QueryCommand)
      .resolvesOnce({ Items: [note('client1-1', 'a', now - 1)], LastEvaluatedKey: key })
      .resolves({ Items: [note('client1-2', 'b', now)] });
    await expect(clientsOverLimit('client1', 1, now)).resolves.toEqual(['client1-2']);
    expect(sent()).toMatchObject([{ ConsistentRead: true }, { ExclusiveStartKey: key }]);
  });
});

describe('countSubscriptions', () => {
  test('counts those of all connections, by one consistent read', async () => {
    store.on(QueryCommand).resolves({ Items: [note('client1-1', 'a', now), note('client1-2', 'a', now - 1)] });
    await expect(countSubscriptions('client1', now)).resolves.toBe(2);
    expect(sent()).toMatchObject([
      { TableName: 'connections', ExpressionAttributeValues: { ':key': 'mqtt#client1' }, ConsistentRead: true },
    ]);
  });

  test('counts neither cancelled nor expired ones, nor those from before the session began or ended', async () => {
    const Items = [
      note('client1-1', 'a', now, false),
      note('client1-1', 'b', now - 3600_001),
      note('client1-2', '', now, false),
      note('client1-2', 'a', now - 1),
    ];
    store.on(QueryCommand).resolves({ Items });
    await expect(countSubscriptions('client1', now)).resolves.toBe(0);
  });
});

describe('clearSubscriptions', () => {
  test('stores the time and deletes older subscriptions', async () => {
    store.onAnyCommand().resolves({});
    const session = note('client1-1', '', now, false);
    const [old, same] = [note('client1-1', 'a', now - 1), note('client1-1', 'b', now)];
    store.on(QueryCommand).resolves({ Items: [session, old, same] });
    await clearSubscriptions('client1', 'client1-1', now);
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

describe('invalidateSubscriptions', () => {
  test('only stores the time', async () => {
    store.on(PutCommand).resolves({});
    await invalidateSubscriptions('client1', 'client1-1', now);
    expect(sent()).toMatchObject([{ Item: note('client1-1', '', now, false) }]);
  });
});

describe('missingSubscriptions', () => {
  const minute = 60_000;
  const missing = (...Items: object[]) => {
    store.on(QueryCommand).resolves({ Items });
    return missingSubscriptions('client1', 'client1-1', ['a'], now);
  };

  test('reads those of the MQTT client alone', async () => {
    await missing();
    expect(sent()).toMatchObject([
      { ExpressionAttributeValues: { ':key': 'mqtt#client1', ':prefix': 'client1-1 ' }, ConsistentRead: true },
    ]);
  });

  test.each([
    ['is not recorded', [note('client1-1', 'b', now)]],
    ['is recorded before the session began', [note('client1-1', 'a', now - 2), note('client1-1', '', now - 1, false)]],
    ['was recorded an hour ago', [note('client1-1', 'a', now - 60 * minute)]],
    ['was cancelled more than a minute ago', [note('client1-1', 'a', now - minute, false)]],
  ])('returns a topic that %s', async (_, notes) => {
    await expect(missing(...notes)).resolves.toEqual(['a']);
  });

  test.each([
    ['is recorded', [note('client1-1', 'a', now - 50 * minute)]],
    ['is recorded since the session began', [note('client1-1', 'a', now - 1), note('client1-1', '', now - 2, false)]],
    ['was cancelled within the last minute', [note('client1-1', 'a', now - minute + 1, false)]],
  ])('does not return a topic that %s', async (_, notes) => {
    await expect(missing(...notes)).resolves.toEqual([]);
  });
});
