import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { commandNames } from '../../../domain/commands/command';
import { Refusal } from '../../../domain/values/refusal';
import { serve } from '../fixtures/serve';
import { sent, store } from '../../data/fixtures/store';
import { call } from '../fixtures/api-gateway';
import '../fixtures/log';

const run = jest.fn(() => Promise.resolve({ success: true as const, resources: [], count: 0 }));
const handler = serve('GET /v3/shares/{shareCode}/resources', run);
const request = { scopes: ['share:read'] } as const;
const windowStart = Date.parse('2026-11-27T10:30:00Z') / 1000;
const counted = (calls: number) => store.on(UpdateCommand).resolves({ Attributes: { calls } });

beforeEach(() => {
  run.mockClear();
  jest.useFakeTimers({ now: (windowStart + 18.5) * 1000, doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] });
});
afterEach(() => jest.useRealTimers());

test('answers a call within the limit with the remaining calls and the reset time in Unix seconds', async () => {
  counted(1);
  const { status, headers } = await call(handler, request);
  expect(status).toBe(200);
  expect(headers).toMatchObject({
    'X-RateLimit-Limit': '120',
    'X-RateLimit-Remaining': '119',
    'X-RateLimit-Reset': String(windowStart + 60),
  });
  expect(headers).not.toHaveProperty('Retry-After');
});

test('serves the last call within the limit, with none remaining', async () => {
  counted(120);
  expect(await call(handler, request)).toMatchObject({ status: 200, headers: { 'X-RateLimit-Remaining': '0' } });
});

test.each([121, 5000])('refuses call %d of a window with Retry-After, without running the handler', async (calls) => {
  counted(calls);
  expect(await call(handler, request)).toMatchObject({
    status: 429,
    body: { error: 'Too many requests' },
    headers: { 'X-RateLimit-Limit': '120', 'X-RateLimit-Remaining': '0', 'Retry-After': '42' },
  });
  expect(run).not.toHaveBeenCalled();
});

describe('A client with its own limit', () => {
  const own = { ...request, limits: { 'GET /v3/shares/{shareCode}/resources': 300 } };

  test('is served and told its remaining calls by that', async () => {
    counted(121);
    expect(await call(handler, own)).toMatchObject({
      status: 200,
      headers: { 'X-RateLimit-Limit': '300', 'X-RateLimit-Remaining': '179' },
    });
  });

  test('is refused beyond that', async () => {
    counted(301);
    expect(await call(handler, own)).toMatchObject({ status: 429, headers: { 'X-RateLimit-Limit': '300' } });
  });

  test('of another operation has the limit of every client', async () => {
    counted(121);
    expect(await call(handler, { ...request, limits: { 'GET /v3/events': 300 } })).toMatchObject({ status: 429 });
  });
});

describe('A command beyond the limit of a minute', () => {
  const command = serve('POST /v3/devices/{deviceId}/commands', run as never);
  const send = (body: unknown) => call(command, { scopes: ['command:control'], path: { deviceId: 'd' }, body });
  /** Counts of all commands, and of those that are spared. */
  const givenCounts = (all: number, spared: number) =>
    store.on(UpdateCommand).callsFake(({ Key }: { Key: { id: string } }) => ({
      Attributes: { calls: Key.id.includes('#spared#') ? spared : all },
    }));
  const stops = ['PAUSE', 'RETURN_HOME', 'LAND'];

  test.each(stops)('is not refused for it if it is %s, up to as many again', async (name) => {
    givenCounts(5000, 1200);
    expect((await send({ name, timeoutSeconds: 30 })).status).not.toBe(429);
    expect(sent().map(({ Key }) => (Key as { id: string }).id)).toEqual([
      `calls#client1#POST /v3/devices/{deviceId}/commands#${windowStart}`,
      `calls#client1#POST /v3/devices/{deviceId}/commands#spared#${windowStart}`,
    ]);
    givenCounts(5000, 1201);
    expect(await send({ name })).toMatchObject({ status: 429, headers: { 'Retry-After': '42' } });
  });

  test.each(stops)('costs one count more only then: %s', async (name) => {
    givenCounts(1200, 0);
    await send({ name });
    expect(sent()).toHaveLength(1);
  });

  test.each<[string, unknown]>([
    ...commandNames.filter((name) => !stops.includes(name)).map((name): [string, unknown] => [name, { name }]),
    ['one of the platform', { name: 'x-land' }],
    ['a stop with what it has not', { name: 'PAUSE', height: 3 }],
    ['a stop of another case', { name: 'pause' }],
    ['no JSON', '{"name":"PAUSE"'],
    ['a list', [{ name: 'PAUSE' }]],
    ['nothing', undefined],
  ])('is refused if it is %s', async (_, body) => {
    givenCounts(1201, 0);
    expect(await send(body)).toMatchObject({ status: 429 });
    expect(sent()).toHaveLength(1);
  });
});

test('counts calls per client, endpoint and minute', async () => {
  counted(1);
  await call(handler, request);
  expect(sent()).toMatchObject([{ Key: { id: `calls#client1#GET /v3/shares/{shareCode}/resources#${windowStart}` } }]);
});

test.each([
  [0, windowStart],
  [59_999, windowStart],
  [60_000, windowStart + 60],
])('uses windows of whole minutes: %d ms after the start the window began at %d', async (ms, start) => {
  counted(1);
  jest.setSystemTime(windowStart * 1000 + ms);
  const { headers } = await call(handler, request);
  expect(headers['X-RateLimit-Reset']).toBe(String(start + 60));
});

test('sets the headers on refusals too', async () => {
  counted(3);
  run.mockRejectedValueOnce(new Refusal('share_not_found'));
  expect(await call(handler, request)).toMatchObject({ status: 404, headers: { 'X-RateLimit-Remaining': '117' } });
});

test('does not count a call without the scope', async () => {
  expect(await call(handler, { scopes: ['share:manage'] })).toMatchObject({ status: 403 });
  expect(store).not.toHaveReceivedAnyCommand();
});

test('counts invalid input too', async () => {
  counted(60);
  const create = serve('POST /v3/jobs/create', () => Promise.reject(new Error('must not run')));
  const answer = await call(create, { scopes: ['command:create'], body: '{' });
  expect(answer).toMatchObject({ status: 400, headers: { 'X-RateLimit-Remaining': '0' } });
});

test('neither counts nor sets headers for an endpoint without a limit', async () => {
  const { headers } = await call(serve('GET /v3/resources', run), { scopes: ['resources:read'] });
  expect(Object.keys(headers).filter((name) => name.startsWith('X-RateLimit'))).toEqual([]);
  expect(store).not.toHaveReceivedAnyCommand();
});

test('answers 500 without running the handler when the counter fails', async () => {
  store.on(UpdateCommand).rejects(new Error('throttled'));
  expect(await call(handler, request)).toMatchObject({ status: 500 });
  expect(run).not.toHaveBeenCalled();
});
