import { PutCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import {
  clientsBeyond,
  clearSubscriptions,
  countSubscriptions,
  invalidateSubscriptions,
  readMqttClients,
  missingSubscriptions,
  recordSubscription,
} from '../../../data/channels/subscriptions';
import { storeOnEngine } from '../fixtures/engine';
import { onlyCommand, sent, store } from '../fixtures/store';

const engine = storeOnEngine('connections');
const now = 1795775400000;
const note = (mqttClient: string, topic: string, at: number, subscribed = true) => ({
  channel: 'mqtt#client1',
  connectionId: `${mqttClient} ${topic}`,
  at,
  subscribed,
  ttl: Math.ceil(at / 1000) + 3600,
});
/** What was noted for another OAuth client, or for an MQTT client whose name begins like the one in question. */
const others = [{ ...note('client1-1', 'a', now), channel: 'mqtt#client10' }, note('client1-10', 'a', now - 9)];

describe('recordSubscription', () => {
  test.each([
    ['stores the first event', undefined, true],
    ['stores an event that is later than the stored one', now - 1, true],
    ['ignores an event of the same time', now, false],
    ['ignores an earlier event', now + 1, false],
  ])('%s, by one command', async (_, at, isStored) => {
    const before = at === undefined ? [] : [note('client1-1', 'a/JOB/STATUS', at, false)];
    await engine.put('connections', ...before);
    await recordSubscription('client1', 'client1-1', 'a/JOB/STATUS', true, now);
    expect(await engine.all('connections')).toEqual(isStored ? [note('client1-1', 'a/JOB/STATUS', now)] : before);
    expect(store.calls()).toHaveLength(1);
  });

  test('passes on errors of DynamoDB', async () => {
    const fault = new Error('throttled');
    store.on(PutCommand).rejects(fault);
    await expect(recordSubscription('client1', 'client1-1', 'a', false, now)).rejects.toBe(fault);
  });
});

describe('clientsBeyond', () => {
  const ended = note('client1-2', '', now, false);
  const late = note('client1-2', 'b', now - 1);
  const three = [note('client1-2', 'c', now - 3), note('client1-2', 'd', now - 2), note('client1-1', 'a', now - 4)];

  test.each<[string, number, string[], object[]]>([
    ['no client at the limit', 2, [], [note('client1-1', 'a', now), note('client1-2', 'b', now)]],
    ['each client with the latest subscriptions once', 1, ['client1-2'], three],
    ['each client, the one with the oldest subscription first', 0, ['client1-1', 'client1-2'], three],
    ['the client that subscribed last, whatever its name', 1, ['client1-1'], [note('client1-1', 'a', now), late]],
    [
      'no client for a cancelled subscription',
      1,
      [],
      [note('client1-1', 'a', now), note('client1-2', 'b', now, false)],
    ],
    ['no client for an expired one', 1, [], [note('client1-1', 'a', now), note('client1-3', 'c', now - 3600_001)]],
    [
      'no client for one from before its session began or ended, whose event arrived late',
      1,
      [],
      [note('client1-1', 'a', now - 5), ended, late],
    ],
    [
      'a client for one since its session began',
      1,
      ['client1-2'],
      [note('client1-1', 'a', now - 5), ended, late, note('client1-2', 'c', now)],
    ],
  ])('returns %s', async (_, max, expected, notes) => {
    await engine.put('connections', ...notes);
    await expect(clientsBeyond('client1', { max, from: 0, now })).resolves.toEqual(expected);
  });

  test.each<[string, string[], object[]]>([
    ['a client whose session began before the time', ['client1-1'], [note('client1-1', '', now - 2, false)]],
    ['no client whose session began at the time', [], [note('client1-1', '', now - 1, false)]],
    ['no client of which no session is known', [], []],
  ])('returns of those with a subscription since then: %s', async (_, expected, session) => {
    await engine.put('connections', note('client1-1', 'a', now), note('client1-2', '', now - 9, false), ...session);
    await expect(clientsBeyond('client1', { max: 100, from: now - 1, now })).resolves.toEqual(expected);
  });

  test('reads all pages consistently', async () => {
    const key = { channel: 'mqtt#client1', connectionId: 'x' };
    store
      .on(QueryCommand)
      .resolvesOnce({ Items: [note('client1-1', 'a', now - 1)], LastEvaluatedKey: key })
      .resolves({ Items: [note('client1-2', 'b', now)] });
    await expect(clientsBeyond('client1', { max: 1, from: 0, now })).resolves.toEqual(['client1-2']);
    expect(sent()).toMatchObject([{ ConsistentRead: true }, { ExclusiveStartKey: key }]);
  });
});

test('mqttClientsOf names each client that has connected or subscribed once, and no other', async () => {
  const own = [note('client1-1', '', now, false), note('client1-1', 'a', now), note('client1-2', 'b', now - 9, false)];
  await engine.put('connections', ...own, { ...note('client10-3', 'c', now), channel: 'mqtt#client10' });
  await expect(readMqttClients('client1')).resolves.toEqual(['client1-1', 'client1-2']);
});

describe('countSubscriptions', () => {
  test.each<[string, number, object[]]>([
    ['those of all connections', 2, [note('client1-1', 'a', now), note('client1-2', 'a', now - 1)]],
    ['no cancelled one', 0, [note('client1-1', 'a', now, false)]],
    ['no expired one', 0, [note('client1-1', 'a', now - 3600_001)]],
    [
      'none from before its session began or ended',
      0,
      [note('client1-2', '', now, false), note('client1-2', 'a', now - 1)],
    ],
  ])('counts %s, by one consistent read', async (_, count, notes) => {
    await engine.put('connections', ...notes, ...others.slice(0, 1));
    await expect(countSubscriptions('client1', now)).resolves.toBe(count);
    expect(onlyCommand()).toMatchObject({ ConsistentRead: true });
  });
});

describe('clearSubscriptions', () => {
  test('stores the time and deletes older subscriptions of the MQTT client', async () => {
    const same = note('client1-1', 'b', now);
    await engine.put(
      'connections',
      note('client1-1', '', now - 2, false),
      note('client1-1', 'a', now - 1),
      same,
      ...others,
    );
    await clearSubscriptions('client1', 'client1-1', now);
    const after = [note('client1-1', '', now, false), same, ...others];
    expect(await engine.all('connections')).toEqual(expect.arrayContaining(after));
    expect(await engine.all('connections')).toHaveLength(after.length);
    // A write, a read and a deletion.
    expect(store.calls()).toHaveLength(3);
  });
});

describe('invalidateSubscriptions', () => {
  test('only stores the time', async () => {
    await invalidateSubscriptions('client1', 'client1-1', now);
    expect(await engine.all('connections')).toEqual([note('client1-1', '', now, false)]);
    expect(store.calls()).toHaveLength(1);
  });
});

describe('missingSubscriptions', () => {
  const minute = 60_000;
  const missing = async (...notes: object[]) => {
    await engine.put('connections', ...notes, ...others);
    return missingSubscriptions('client1', 'client1-1', ['a'], now);
  };

  test('reads those of the MQTT client alone', async () => {
    await expect(missing()).resolves.toEqual(['a']);
    expect(onlyCommand()).toMatchObject({
      ExpressionAttributeValues: { ':key': 'mqtt#client1', ':prefix': 'client1-1 ' },
      ConsistentRead: true,
    });
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
