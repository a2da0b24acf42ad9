import { extendSubscription, noteWarning, renewConnection } from '../../../data/connections/renewal';
import { connection } from '../fixtures/sockets';
import { conditionFailed, onlyCommand, store } from '../fixtures/store';

const now = 1795775400;
const item = connection({ openedAt: now - 60, expiresAt: now + 60 });
const Key = { channel: item.channel, connectionId: item.connectionId };
beforeEach(() => {
  store.resolves({});
});

describe('renewConnection', () => {
  test('moves the end of an open connection by one write', async () => {
    await expect(renewConnection(item, { expiresAt: now + 3600 }, now)).resolves.toBe(true);
    expect(onlyCommand()).toEqual({
      TableName: 'connections',
      Key,
      UpdateExpression: 'SET expiresAt = :expiresAt',
      ConditionExpression: 'expiresAt > :now',
      ExpressionAttributeValues: { ':expiresAt': now + 3600, ':now': now },
    });
  });

  test('sets the scopes of a session by the same write', async () => {
    await renewConnection(item, { expiresAt: now + 3600, scopes: ['resources:read'] }, now);
    expect(onlyCommand()).toMatchObject({
      UpdateExpression: 'SET expiresAt = :expiresAt, scopes = :scopes',
      ExpressionAttributeValues: { ':scopes': ['resources:read'] },
    });
  });

  test('returns false for a connection that is closed or has expired', async () => {
    store.rejects(conditionFailed());
    await expect(renewConnection(item, { expiresAt: now + 3600 }, now)).resolves.toBe(false);
  });
});

describe('extendSubscription', () => {
  test('moves the end of a subscription that still exists', async () => {
    await extendSubscription(item, now + 3600);
    expect(onlyCommand()).toMatchObject({
      Key,
      UpdateExpression: 'SET expiresAt = :expiresAt',
      ConditionExpression: 'attribute_exists(connectionId)',
    });
  });

  test('has no effect on one that has ended', async () => {
    store.rejects(conditionFailed());
    await expect(extendSubscription(item, now + 3600)).resolves.toBeUndefined();
  });
});

describe('noteWarning', () => {
  test('notes the end that the client is warned of, if that is still its end', async () => {
    await expect(noteWarning(item)).resolves.toBe(true);
    expect(onlyCommand()).toEqual({
      TableName: 'connections',
      Key,
      UpdateExpression: 'SET warnedOf = :expiresAt',
      ConditionExpression: 'expiresAt = :expiresAt',
      ExpressionAttributeValues: { ':expiresAt': now + 60 },
    });
  });

  test('returns false for a connection that has been renewed or closed', async () => {
    store.rejects(conditionFailed());
    await expect(noteWarning(item)).resolves.toBe(false);
  });
});

test.each([
  ['renewConnection', () => renewConnection(item, { expiresAt: now }, now)],
  ['extendSubscription', () => extendSubscription(item, now)],
  ['noteWarning', () => noteWarning(item)],
])('%s fails when DynamoDB does', async (_, write) => {
  store.rejects(new Error('throttled'));
  await expect(write()).rejects.toThrow('throttled');
});
