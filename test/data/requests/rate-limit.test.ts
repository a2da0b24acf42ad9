import { UpdateCommand } from '../../../data/store/document-client';
import { countCall } from '../../../data/requests/rate-limit';
import { conditionFailed, onlyCommand, store } from '../fixtures/store';

const windowStart = 1795775400;

test('countCall increments the counter of the window by one atomic write', async () => {
  store.on(UpdateCommand).resolves({ Attributes: { calls: 7 } });
  await expect(countCall('client-1#GET /v3/jobs', windowStart, 120)).resolves.toBe(7);
  expect(onlyCommand()).toMatchObject({
    TableName: 'requests',
    Key: { id: `calls#client-1#GET /v3/jobs#${windowStart}` },
    UpdateExpression: expect.stringMatching(/^ADD calls :one, callIds :callIds\b/) as string,
    ExpressionAttributeValues: { ':one': 1 },
    ReturnValues: 'UPDATED_NEW',
  });
});

test('the TTL of a counter is after its window', async () => {
  store.on(UpdateCommand).resolves({ Attributes: { calls: 1 } });
  await countCall('client-1', windowStart, 120);
  const { ':ttl': ttl } = onlyCommand()['ExpressionAttributeValues'] as { ':ttl': number };
  expect(ttl).toBeGreaterThanOrEqual(windowStart + 120);
  expect(ttl).toBeLessThanOrEqual(windowStart + 86_400);
});

test.each([undefined, {}, { calls: 'many' }, { calls: 1.5 }])(
  'countCall fails for an invalid counter %j, so that no call goes uncounted',
  async (Attributes) => {
    store.on(UpdateCommand).resolves(Attributes ? { Attributes } : {});
    await expect(countCall('client-1', windowStart, 120)).rejects.toMatchObject({ name: '$ZodError' });
  },
);

describe('countCall retried by the SDK after a lost response', () => {
  const window = new Map<string, { calls: number; callIds: Set<string> }>();
  /** As DynamoDB does it; `times` is how often it gets each command. */
  const count =
    (times: number) =>
    ({ Key, ExpressionAttributeValues: values }: { Key: { id: string }; ExpressionAttributeValues: object }) => {
      const { ':callId': callId, ':most': most } = values as { ':callId': string; ':most': number };
      let refused: Error | undefined;
      for (let time = 0; time < times; time += 1) {
        const found = window.get(Key.id);
        if (found && (found.calls >= most || found.callIds.has(callId))) {
          refused = conditionFailed({ ...Key, ...found, callIds: new Set(found.callIds) });
          continue;
        }
        window.set(Key.id, { calls: (found?.calls ?? 0) + 1, callIds: new Set([...(found?.callIds ?? []), callId]) });
      }
      if (refused) throw refused;
      return { Attributes: window.get(Key.id) };
    };
  beforeEach(() => window.clear());

  test('counts the call once, also the last one in the limit', async () => {
    store.on(UpdateCommand).callsFake(count(2));
    const counted: number[] = [];
    for (let call = 0; call < 4; call += 1) counted.push(await countCall('client-1', windowStart, 3));
    expect(counted).toEqual([1, 2, 3, 4]);
    expect([...window.values()]).toEqual([{ calls: 3, callIds: expect.anything() as unknown }]);
  });

  test('returns more than the limit beyond it, and the counter does not grow', async () => {
    store.on(UpdateCommand).callsFake(count(1));
    for (let call = 0; call < 10; call += 1) await countCall('client-1', windowStart, 3);
    expect([...window.values()].map(({ callIds }) => callIds.size)).toEqual([3]);
    await expect(countCall('client-1', windowStart, 3)).resolves.toBe(4);
  });
});
