import { BatchGetCommand } from '@aws-sdk/lib-dynamodb';
import { seatOf } from '../../../data/store/seats';
import { readUsage } from '../../../data/access/usage';
import { onlyCommand, store } from '../fixtures/store';

const windowStart = 1795775400;
const now = windowStart + 17.5;
const [jobs, shares] = ['POST /v3/jobs/create', 'POST /v3/streams/share'] as const;
const idOf = (operation: string) => `calls#client1#${operation}#${windowStart}`;
const seat = (expiresAt: number, connectionId: string) => seatOf({ expiresAt, openedAt: windowStart, connectionId });
const read = () => readUsage('client1', [jobs, shares], now);

test('reads the counters of the present window and the seats at once, and consistently', async () => {
  store.on(BatchGetCommand).resolves({});
  await read();
  expect(onlyCommand()).toEqual({
    RequestItems: {
      requests: { Keys: [{ id: idOf(jobs) }, { id: idOf(shares) }], ConsistentRead: true },
      connections: { Keys: [{ channel: 'client#client1', connectionId: 'client#client1' }], ConsistentRead: true },
    },
  });
});

test('returns nothing used without items', async () => {
  store.on(BatchGetCommand).resolves({});
  const { callsOf, connections } = await read();
  expect([callsOf(jobs), callsOf(shares), connections]).toEqual([0, 0, 0]);
});

test('returns the calls of each operation, in any order of items', async () => {
  const counters = [
    { id: idOf(shares), calls: 2, callIds: new Set(['a', 'b']), ttl: 1 },
    { id: idOf(jobs), calls: 60, ttl: 1 },
  ];
  store.on(BatchGetCommand).resolves({ Responses: { requests: counters } });
  const { callsOf } = await read();
  expect([callsOf(jobs), callsOf(shares)]).toEqual([60, 2]);
});

test('counts the seats of connections that have not expired', async () => {
  const seats = new Set([seat(now + 1, 'a'), seat(now + 1, 'b'), seat(windowStart, 'c')]);
  store.on(BatchGetCommand).resolves({ Responses: { connections: [{ channel: 'client#client1', seats }] } });
  expect((await read()).connections).toBe(2);
});

test('reads an item whose last seat was released as no connection', async () => {
  store.on(BatchGetCommand).resolves({ Responses: { connections: [{ channel: 'client#client1', recount: true }] } });
  expect((await read()).connections).toBe(0);
});

test.each(['requests', 'connections'])('fails when DynamoDB leaves out keys of %s', async (name) => {
  store.on(BatchGetCommand).resolves({ UnprocessedKeys: { [name]: { Keys: [{ id: 'x' }] } } });
  await expect(read()).rejects.toThrow('left out keys');
});

test('fails for a counter that can’t be read', async () => {
  store.on(BatchGetCommand).resolves({ Responses: { requests: [{ id: idOf(jobs), calls: 'many' }] } });
  await expect(read()).rejects.toMatchObject({ name: '$ZodError' });
});
