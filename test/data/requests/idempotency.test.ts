import { GetCommand, PutCommand, TransactWriteCommand } from '@aws-sdk/lib-dynamodb';
import { AlreadyAnswered, findAnswer, insertOnce } from '../../../data/requests/idempotency';
import { firstAnswer, now } from '../fixtures/operations';
import { conditionFailed, onlyCommand, sent, store, transactionCancelled } from '../fixtures/store';

const seconds = Date.parse(now) / 1000;
const item = (change = {}) => ({
  id: firstAnswer.id,
  fingerprint: 'hash-0',
  reply: '{"success":true,"job":{"jobId":"job-0"}}',
  ttl: seconds + 60,
  ...change,
});
const thing = { TableName: 'jobs', Item: { jobId: 'job-1' } };
const insert = () => insertOnce(thing, 'jobId', firstAnswer);
const before = { fingerprint: 'hash-0', reply: { success: true, job: { jobId: 'job-0' } } };
const conflict = () => transactionCancelled(['TransactionConflict'], ['None']);

describe('findAnswer', () => {
  test('returns the response with the fingerprint of the request', async () => {
    store.on(GetCommand).resolves({ Item: item() });
    const found = await findAnswer(firstAnswer.id, now);
    expect(found).toBeInstanceOf(AlreadyAnswered);
    expect(found).toMatchObject(before);
    expect(onlyCommand()).toEqual({ TableName: 'requests', Key: { id: firstAnswer.id }, ConsistentRead: true });
  });

  test('returns undefined for an unused key', async () => {
    store.on(GetCommand).resolves({});
    await expect(findAnswer(firstAnswer.id, now)).resolves.toBeUndefined();
  });

  test.each([
    ['returns a response one second before its expiry', 1, true],
    ['returns undefined at its expiry, before DynamoDB deletes it', 0, false],
    ['returns undefined a day later, before DynamoDB deletes it', -86_400, false],
  ])('%s', async (_, left, isFound) => {
    store.on(GetCommand).resolves({ Item: item({ ttl: seconds + left }) });
    expect((await findAnswer(firstAnswer.id, now)) !== undefined).toBe(isFound);
  });

  test.each([{ reply: undefined }, { ttl: 'soon' }, { reply: '{"success":' }])(
    'fails for an invalid item with %j',
    async (fault) => {
      store.on(GetCommand).resolves({ Item: item(fault) });
      await expect(findAnswer(firstAnswer.id, now)).rejects.toBeInstanceOf(Error);
    },
  );
});

describe('insertOnce without an idempotency key', () => {
  test('is one put', async () => {
    store.on(PutCommand).resolves({});
    await insertOnce(thing, 'jobId');
    expect(onlyCommand()).toEqual({ ...thing, ConditionExpression: 'attribute_not_exists(jobId)' });
  });

  test('succeeds when the SDK retries a put whose response was lost', async () => {
    store.on(PutCommand).rejects(conditionFailed());
    await expect(insertOnce(thing, 'jobId')).resolves.toBeUndefined();
  });
});

describe('insertOnce with an idempotency key', () => {
  test('stores the response for 24 hours in the same transaction', async () => {
    store.on(TransactWriteCommand).resolves({});
    await insert();
    expect(onlyCommand()).toMatchObject({
      TransactItems: [
        { Put: { TableName: 'requests', Item: { reply: '{"success":true}', ttl: seconds + 86_400 } } },
        { Put: { ...thing, ConditionExpression: 'attribute_not_exists(jobId)' } },
      ],
    });
  });

  test('may replace an expired response that DynamoDB has not deleted yet', async () => {
    store.on(TransactWriteCommand).resolves({});
    await insert();
    expect(onlyCommand()).toMatchObject({
      TransactItems: [
        {
          Put: {
            ConditionExpression: 'attribute_not_exists(id) OR #ttl <= :now',
            ExpressionAttributeValues: { ':now': seconds },
          },
        },
        {},
      ],
    });
  });

  test('throws the first response when a concurrent request used the key', async () => {
    store.on(TransactWriteCommand).rejects(transactionCancelled(['ConditionalCheckFailed', item()], ['None']));
    await expect(insert()).rejects.toMatchObject({ name: 'AlreadyAnswered', ...before });
    expect(sent()).toHaveLength(1);
  });

  test('retries while another transaction with the same key is in progress', async () => {
    store.on(TransactWriteCommand).rejectsOnce(conflict()).rejectsOnce(conflict()).resolves({});
    await expect(insert()).resolves.toBeUndefined();
    expect(sent()).toHaveLength(3);
  });

  test('throws the first response after the other transaction succeeded', async () => {
    const done = transactionCancelled(['ConditionalCheckFailed', item()], ['None']);
    store.on(TransactWriteCommand).rejectsOnce(conflict()).rejects(done);
    await expect(insert()).rejects.toMatchObject(before);
    expect(sent()).toHaveLength(2);
  });

  test('fails after the last retry', async () => {
    const fault = conflict();
    store.on(TransactWriteCommand).rejects(fault);
    await expect(insert()).rejects.toBe(fault);
    expect(sent()).toHaveLength(5);
  });

  test.each([
    ['the thing itself was there', transactionCancelled(['None'], ['ConditionalCheckFailed', { jobId: 'job-1' }])],
    ['the store is throttled', transactionCancelled(['ThrottlingError'], ['None'])],
    ['an expired answer came back', transactionCancelled(['ConditionalCheckFailed', item({ ttl: seconds })], ['None'])],
    ['no reason was given', transactionCancelled()],
  ])('fails without a retry when %s', async (_, fault) => {
    store.on(TransactWriteCommand).rejects(fault);
    await expect(insert()).rejects.toBe(fault);
    expect(sent()).toHaveLength(1);
  });
});
