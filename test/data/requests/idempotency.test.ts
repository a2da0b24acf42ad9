import { GetCommand, PutCommand, TransactWriteCommand } from '../../../data/store/document-client';
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

describe('The first answer under a key', () => {
  test('is found with the body that it answered.', async () => {
    store.on(GetCommand).resolves({ Item: item() });
    const found = await findAnswer(firstAnswer.id, now);
    expect(found).toBeInstanceOf(AlreadyAnswered);
    expect(found).toMatchObject(before);
    expect(onlyCommand()).toEqual({ TableName: 'requests', Key: { id: firstAnswer.id }, ConsistentRead: true });
  });

  test('is none before there was one.', async () => {
    store.on(GetCommand).resolves({});
    await expect(findAnswer(firstAnswer.id, now)).resolves.toBeUndefined();
  });

  test.each([
    ['stands a second before it expires', 1, true],
    ['is over at the very moment, though the store still has it', 0, false],
    ['is over a day later, though the store still has it', -86_400, false],
  ])('%s.', async (_, left, stands) => {
    store.on(GetCommand).resolves({ Item: item({ ttl: seconds + left }) });
    expect((await findAnswer(firstAnswer.id, now)) !== undefined).toBe(stands);
  });

  test.each([{ reply: undefined }, { ttl: 'soon' }, { reply: '{"success":' }])(
    'is an error when what was kept is broken by %j.',
    async (fault) => {
      store.on(GetCommand).resolves({ Item: item(fault) });
      await expect(findAnswer(firstAnswer.id, now)).rejects.toBeInstanceOf(Error);
    },
  );
});

describe('Keeping something without a key', () => {
  test('is one put.', async () => {
    store.on(PutCommand).resolves({});
    await insertOnce(thing, 'jobId');
    expect(onlyCommand()).toEqual({ ...thing, ConditionExpression: 'attribute_not_exists(jobId)' });
  });

  test('is done when the SDK repeats a put whose answer got lost.', async () => {
    store.on(PutCommand).rejects(conditionFailed());
    await expect(insertOnce(thing, 'jobId')).resolves.toBeUndefined();
  });
});

describe('Keeping something with a key', () => {
  test('remembers its answer for 24 hours, in the same transaction.', async () => {
    store.on(TransactWriteCommand).resolves({});
    await insert();
    expect(onlyCommand()).toMatchObject({
      TransactItems: [
        { Put: { TableName: 'requests', Item: { reply: '{"success":true}', ttl: seconds + 86_400 } } },
        { Put: { ...thing, ConditionExpression: 'attribute_not_exists(jobId)' } },
      ],
    });
  });

  test('may take the place of an answer that has expired and is still in the store.', async () => {
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

  test('brings the first answer when the key was used at this very moment.', async () => {
    store.on(TransactWriteCommand).rejects(transactionCancelled(['ConditionalCheckFailed', item()], ['None']));
    await expect(insert()).rejects.toMatchObject({ name: 'AlreadyAnswered', ...before });
    expect(sent()).toHaveLength(1);
  });

  test('is tried again while another write with the same key is under way.', async () => {
    store.on(TransactWriteCommand).rejectsOnce(conflict()).rejectsOnce(conflict()).resolves({});
    await expect(insert()).resolves.toBeUndefined();
    expect(sent()).toHaveLength(3);
  });

  test('brings the first answer once the other write is done.', async () => {
    const done = transactionCancelled(['ConditionalCheckFailed', item()], ['None']);
    store.on(TransactWriteCommand).rejectsOnce(conflict()).rejects(done);
    await expect(insert()).rejects.toMatchObject(before);
    expect(sent()).toHaveLength(2);
  });

  test('gives up when the other write never ends.', async () => {
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
  ])('is an error when %s, and is not tried again.', async (_, fault) => {
    store.on(TransactWriteCommand).rejects(fault);
    await expect(insert()).rejects.toBe(fault);
    expect(sent()).toHaveLength(1);
  });
});
