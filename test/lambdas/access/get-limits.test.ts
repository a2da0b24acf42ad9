import { scopes } from '../../../contract/terms/scopes';
import { BatchGetCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { handler } from '../../../lambdas/access/get-limits.lambda';
import { sent, store } from '../../data/fixtures/store';
import { endpointTable } from '../../../contract/endpoint-table';
import { call } from '../fixtures/api-gateway';
import '../fixtures/log';

interface Limits {
  readonly rates: readonly { readonly operation: string; readonly limit: number; readonly remaining?: number }[];
  readonly connections: object;
  readonly subscriptions: object;
}

const now = new Date('2026-11-27T10:30:17.500Z');
const minute = Date.parse('2026-11-27T10:30:00Z') / 1000;

const limitsOf = async () => (await call(handler, { scopes: ['share:read'] })).body['limits'] as Limits;

beforeEach(() => {
  jest.useFakeTimers({ now, doNotFake: ['nextTick', 'setImmediate'] });
  store.on(BatchGetCommand).resolves({});
  store.on(QueryCommand).resolves({ Items: [] });
});
afterEach(() => jest.useRealTimers());

test.each(scopes)('answers a client that has only the scope %s', async (scope) => {
  expect(await call(handler, { scopes: [scope] })).toMatchObject({
    status: 200,
    headers: { 'Cache-Control': 'no-store' },
    body: { success: true },
  });
});

test('refuses a token without any scope', async () => {
  expect(await call(handler, { scopes: [] })).toMatchObject({ status: 403 });
  expect(store).not.toHaveReceivedAnyCommand();
});

test('lists every endpoint with a limit, handshakes, and the token endpoint without what is left', async () => {
  const limited = Object.entries(endpointTable).flatMap(([operation, { perMinute: limit }]) =>
    limit === undefined ? [] : [{ operation, limit }],
  );
  const counted = { windowSeconds: 60, resetAt: '2026-11-27T10:31:00.000Z' };
  expect((await limitsOf()).rates).toEqual([
    ...[...limited, { operation: 'WebSocket handshake', limit: 120 }].map(({ operation, limit }) => ({
      operation,
      limit,
      ...counted,
      remaining: limit,
    })),
    { operation: 'POST /v3/auth/token', limit: 50, windowSeconds: 1, burst: 100 },
  ]);
});

test('lists the own limits of a client', async () => {
  const requests = [{ id: `calls#client1#GET /v3/events#${minute}`, calls: 7 }];
  store.on(BatchGetCommand).resolves({ Responses: { requests } });
  const limits = { 'GET /v3/events': 600, 'WebSocket handshake': 240 };
  const { rates } = (await call(handler, { scopes: ['share:read'], limits })).body['limits'] as Limits;
  expect(rates.map(({ limit, remaining }) => [limit, remaining])).toEqual([
    [60, 60],
    [60, 60],
    [60, 60],
    [1200, 1200],
    [60, 60],
    [60, 60],
    [30, 30],
    [120, 120],
    [600, 593],
    [240, 240],
    [50, undefined],
  ]);
});

test('subtracts the calls of this minute, and never tells less than 0', async () => {
  const calls = (operation: string, count: number) => ({ id: `calls#client1#${operation}#${minute}`, calls: count });
  const requests = [calls('POST /v3/jobs/create', 3), calls('WebSocket handshake', 121)];
  store.on(BatchGetCommand).resolves({ Responses: { requests } });
  const left = Object.fromEntries((await limitsOf()).rates.map(({ operation, remaining }) => [operation, remaining]));
  expect(left).toMatchObject({ 'POST /v3/jobs/create': 57, 'POST /v3/streams/share': 30, 'WebSocket handshake': 0 });
});

test('counts connections, and subscriptions beyond the limit too', async () => {
  const seats = new Set([`${minute + 99} ${minute} a`, `${minute + 99} ${minute} b`]);
  store.on(BatchGetCommand).resolves({ Responses: { connections: [{ channel: 'client#client1', seats }] } });
  const note = (index: number) => ({
    connectionId: `client1 ${index}`,
    at: now.getTime() - 9,
    subscribed: true,
    ttl: minute + 3600,
  });
  store.on(QueryCommand).resolves({ Items: Array.from({ length: 101 }, (_, index) => note(index)) });
  expect(await limitsOf()).toMatchObject({
    connections: { limit: 50, used: 2, remaining: 48 },
    subscriptions: { limit: 100, used: 101, remaining: 0 },
  });
});

test('states the bounds of shares', async () => {
  expect(await limitsOf()).toMatchObject({
    shares: {
      maxViewers: { minimum: 1, maximum: 1000, default: 10 },
      expiresIn: { minimum: 60, maximum: 86_400, default: 3600 },
    },
  });
});

test('reads and never writes', async () => {
  await limitsOf();
  expect(sent()).toHaveLength(2);
  expect(store.commandCalls(BatchGetCommand)).toHaveLength(1);
  expect(store.commandCalls(QueryCommand)).toHaveLength(1);
});

test.each([
  ['the read of counters and seats', () => store.on(BatchGetCommand)],
  ['the read of subscriptions', () => store.on(QueryCommand)],
])('answers 500 when %s fails, not with numbers', async (_, one) => {
  one().rejects(new Error('throttled'));
  expect(await call(handler, { scopes: ['share:read'] })).toMatchObject({ status: 500 });
});
