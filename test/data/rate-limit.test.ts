import { UpdateCommand } from '../../data/documents';
import { countCall } from '../../data/rate-limit';
import { onlyCommand, store } from './fixtures/store';

const windowStart = 1795775400;

test('A call is counted by one atomic write, in a counter of its own window.', async () => {
  store.on(UpdateCommand).resolves({ Attributes: { calls: 7 } });
  await expect(countCall('client-1#GET /v3/jobs', windowStart)).resolves.toBe(7);
  expect(onlyCommand()).toMatchObject({
    TableName: 'requests',
    Key: { id: `calls#client-1#GET /v3/jobs#${windowStart}` },
    UpdateExpression: expect.stringMatching(/^ADD calls :one\b/) as string,
    ExpressionAttributeValues: { ':one': 1 },
    ReturnValues: 'UPDATED_NEW',
  });
});

test('A counter is forgotten some time after its window, never within it.', async () => {
  store.on(UpdateCommand).resolves({ Attributes: { calls: 1 } });
  await countCall('client-1', windowStart);
  const { ':ttl': ttl } = onlyCommand()['ExpressionAttributeValues'] as { ':ttl': number };
  expect(ttl).toBeGreaterThanOrEqual(windowStart + 120);
  expect(ttl).toBeLessThanOrEqual(windowStart + 86_400);
});

test.each([undefined, {}, { calls: 'many' }, { calls: 1.5 }])(
  'A counter that reads %j is an error: nobody gets in uncounted.',
  async (Attributes) => {
    store.on(UpdateCommand).resolves(Attributes ? { Attributes } : {});
    await expect(countCall('client-1', windowStart)).rejects.toMatchObject({ name: '$ZodError' });
  },
);
