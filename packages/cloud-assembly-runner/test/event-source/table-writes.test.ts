import { dynamoDbPermissions } from '../../dynamodb/permissions';
import { createTableWrites } from '../../event-source/table-writes';

/** Longer than any test. */
const forever = 3_600_000;

describe('Table writes', () => {
  let status: number;
  const writes = createTableWrites();
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

  test.each<[string, object]>([
    ['PutItem', { TableName: 'Jobs' }],
    ['UpdateItem', { TableName: 'Jobs' }],
    ['DeleteItem', { TableName: 'Jobs' }],
    ['BatchWriteItem', { RequestItems: { Shares: [], Jobs: [] } }],
    ['TransactWriteItems', { TransactItems: [{ Put: { TableName: 'Shares' } }, { Delete: { TableName: 'Jobs' } }] }],
  ])('resume pollers of a table after %s', async (operation, body) => {
    const woken = writes.waitBeyond('Jobs', writes.count('Jobs'), forever, signal);
    await call(operation, body);
    await expect(woken).resolves.toBeUndefined();
  });

  test('are not missed by a poller that starts to wait later', async () => {
    const seen = writes.count('Jobs');
    await call('PutItem', { TableName: 'Jobs' });
    await expect(writes.waitBeyond('Jobs', seen, forever, signal)).resolves.toBeUndefined();
  });

  test("don't include reads, failed writes and writes to other tables", async () => {
    const seen = writes.count('Jobs');
    await call('GetItem', { TableName: 'Jobs' });
    await call('PutItem', { TableName: 'Shares' });
    status = 400;
    await call('PutItem', { TableName: 'Jobs' });
    expect(writes.count('Jobs')).toBe(seen);
  });

  test('time out, and end at once when stopped', async () => {
    await writes.waitBeyond('Jobs', writes.count('Jobs'), 1, signal);
    const stop = new AbortController();
    const stopped = writes.waitBeyond('Jobs', writes.count('Jobs'), forever, stop.signal);
    stop.abort();
    await stopped;
    await expect(writes.waitBeyond('Jobs', writes.count('Jobs'), forever, stop.signal)).resolves.toBeUndefined();
  });
});
