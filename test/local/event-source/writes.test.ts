import { dynamoDbPermissions } from '../../../local/dynamodb/permissions';
import { createWrites } from '../../../local/event-source/writes';

/** Longer than any test takes. */
const forever = 3_600_000;

describe('Watching the writes to tables', () => {
  let status: number;
  const writes = createWrites();
  const watched = writes.watch({
    signingName: 'dynamodb',
    permissions: dynamoDbPermissions,
    answer: () => Promise.resolve({ status, headers: {}, body: '' }),
  });
  const call = (operation: string, body: object) =>
    watched.answer({
      service: 'dynamodb',
      method: 'POST',
      path: '/',
      headers: { 'x-amz-target': `DynamoDB_20120810.${operation}` },
      body: Buffer.from(JSON.stringify(body)),
    });
  const signal = new AbortController().signal;
  beforeEach(() => (status = 200));

  it.each<[string, object]>([
    ['PutItem', { TableName: 'Jobs' }],
    ['UpdateItem', { TableName: 'Jobs' }],
    ['DeleteItem', { TableName: 'Jobs' }],
    ['BatchWriteItem', { RequestItems: { Shares: [], Jobs: [] } }],
    ['TransactWriteItems', { TransactItems: [{ Put: { TableName: 'Shares' } }, { Delete: { TableName: 'Jobs' } }] }],
  ])('wakes who waits for a table after %s', async (operation, body) => {
    const woken = writes.beyond('Jobs', writes.count('Jobs'), forever, signal);
    await call(operation, body);
    await expect(woken).resolves.toBeUndefined();
  });

  it('does not make anybody wait who has missed a write', async () => {
    const seen = writes.count('Jobs');
    await call('PutItem', { TableName: 'Jobs' });
    await expect(writes.beyond('Jobs', seen, forever, signal)).resolves.toBeUndefined();
  });

  it('counts no reads, no writes that were refused, and none to other tables', async () => {
    const seen = writes.count('Jobs');
    await call('GetItem', { TableName: 'Jobs' });
    await call('PutItem', { TableName: 'Shares' });
    status = 400;
    await call('PutItem', { TableName: 'Jobs' });
    expect(writes.count('Jobs')).toBe(seen);
  });

  it('lets go when the time is up, and at once when it is stopped', async () => {
    await writes.beyond('Jobs', writes.count('Jobs'), 1, signal);
    const stop = new AbortController();
    const stopped = writes.beyond('Jobs', writes.count('Jobs'), forever, stop.signal);
    stop.abort();
    await stopped;
    await expect(writes.beyond('Jobs', writes.count('Jobs'), forever, stop.signal)).resolves.toBeUndefined();
  });
});
