import { GetCommand, TransactWriteCommand } from '@aws-sdk/lib-dynamodb';
import { AlreadyAnswered, findAnswer, insertOnce } from '../../../data/store/first-answers';
import { acme } from '../../domain/fixtures/samples';
import { storeOnEngine } from '../fixtures/engine';
import { firstAnswer, now } from '../fixtures/operations';
import { onlyCommand, sent, store, transactionCancelled } from '../fixtures/store';

const engine = storeOnEngine('requests', 'jobs');
const seconds = Date.parse(now) / 1000;
const item = (change = {}) => ({
  id: firstAnswer.id,
  fingerprint: 'hash-0',
  reply: '{"success":true,"job":{"jobId":"job-0"}}',
  ttl: seconds + 60,
  ...change,
});
const thing = { TableName: 'jobs', Item: { organisation: acme, jobId: 'job-1' } };
const insert = () => insertOnce(thing, 'jobId', firstAnswer);
const before = { name: 'AlreadyAnswered', fingerprint: 'hash-0', reply: { success: true, job: { jobId: 'job-0' } } };
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
  test.each([
    ['stores a new item', []],
    [
      'leaves one that is there, as when the SDK retries a put whose response was lost,',
      [{ ...thing.Item, name: 'Before' }],
    ],
  ])('%s by one put', async (_, found) => {
    await engine.put('jobs', ...found);
    await expect(insertOnce(thing, 'jobId')).resolves.toBeUndefined();
    expect(await engine.all('jobs')).toEqual(found.length > 0 ? found : [thing.Item]);
    expect(onlyCommand()).toMatchObject(thing);
  });
});

describe('insertOnce with an idempotency key', () => {
  test.each([
    ['a new response', []],
    ['a response in place of one that has just expired, before DynamoDB deletes it,', [item({ ttl: seconds })]],
  ])('stores %s for 24 hours with the item, by one transaction', async (_, found) => {
    await engine.put('requests', ...found);
    await insert();
    const { id, fingerprint } = firstAnswer;
    const stored = { id, fingerprint, reply: '{"success":true}', ttl: seconds + 86_400 };
    expect(await engine.all('requests')).toEqual([stored]);
    expect(await engine.all('jobs')).toEqual([thing.Item]);
    expect(sent()).toHaveLength(1);
  });

  test.each([
    [
      'throws the first response, until it expires, when a concurrent request used the key',
      [item({ ttl: seconds + 1 })],
      [],
      before,
    ],
    [
      'fails when the item itself was there',
      [],
      [{ ...thing.Item, name: 'Before' }],
      { message: 'a new identifier was in use' },
    ],
  ])('%s, without a retry, and stores nothing', async (_, answers, things, error) => {
    await engine.put('requests', ...answers);
    await engine.put('jobs', ...things);
    await expect(insert()).rejects.toMatchObject(error);
    expect([await engine.all('requests'), await engine.all('jobs')]).toEqual([answers, things]);
    expect(sent()).toHaveLength(1);
  });

  test('retries while another transaction with the same key is in progress', async () => {
    store.on(TransactWriteCommand).rejectsOnce(conflict()).rejectsOnce(conflict()).resolves({});
    await expect(insert()).resolves.toBeUndefined();
    expect(sent()).toHaveLength(3);
  });

  test('throws the first response after the other transaction succeeded', async () => {
    await engine.put('requests', item());
    store.on(TransactWriteCommand).rejectsOnce(conflict()).callsFake(engine.answers('TransactWriteCommand'));
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
    ['the store is throttled', transactionCancelled(['ThrottlingError'], ['None'])],
    ['an expired answer came back', transactionCancelled(['ConditionalCheckFailed', item({ ttl: seconds })], ['None'])],
    ['no reason was given', transactionCancelled()],
  ])('fails without a retry when %s', async (_, fault) => {
    store.on(TransactWriteCommand).rejects(fault);
    await expect(insert()).rejects.toBe(fault);
    expect(sent()).toHaveLength(1);
  });
});
