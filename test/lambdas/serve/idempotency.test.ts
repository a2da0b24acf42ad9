import { createHash } from 'node:crypto';
import canonicalize from 'canonicalize';
import { GetCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import type { Endpoint } from '../../../contract/terms/endpoint';
import { endpoints, type EndpointKey } from '../../../contract/endpoints';
import { createJob } from '../../../contract/jobs/jobs.endpoints';
import { AlreadyAnswered } from '../../../data/store/first-answers';
import { Refusal } from '../../../domain/values/refusal';
import { freshIdempotencyKey, idempotencyKey } from '../../../lambdas/serve/idempotency-key';
import { jsonBody } from '../../../lambdas/serve/json-body';
import * as own from '../../../lambdas/serve/serve';
import { serve } from '../fixtures/serve';
import { id, sampleJob } from '../../domain/fixtures/samples';
import { store } from '../../data/fixtures/store';
import type { Exchange, ServedRequest } from '../../../lambdas/serve/request';
import { call, request } from '../fixtures/api-gateway';
import { logLines } from '../fixtures/log';

const key = 'c0ffee00-1234-4abc-8def-0123456789ab';
const body = { name: 'Rim', deviceGroupId: id('group'), priority: 5 };
const hashOf = (text = '') => createHash('sha256').update(text).digest('base64');
const fingerprint = hashOf(canonicalize(body));
const summary = {
  jobId: id('job'),
  name: 'First',
  status: 'PENDING',
  priority: 5,
  deviceGroupId: id('group'),
  createdAt: '2026-11-27T10:00:00.000Z',
};
const storedAnswer = { fingerprint, reply: JSON.stringify({ success: true, job: summary }), ttl: 4e9 };
const reused = {
  status: 400,
  body: {
    error: 'invalid_request',
    details: [{ path: 'Idempotency-Key', message: 'has been used with another body' }],
  },
};

const run = jest.fn();
const runJob = async ({ firstAnswer, now }: ServedRequest<'POST /v3/jobs/create'>) => {
  await run({ firstAnswer: firstAnswer({ success: true, job: sampleJob() }), now });
  return { success: true as const, job: sampleJob() };
};
const handler = serve('POST /v3/jobs/create', runJob);
const create = (headers: Record<string, string | string[]>, sent: unknown = body, by: unknown = handler) =>
  call(by, { scopes: ['command:create'], body: sent, headers });
/** The key has been used, and what the request needs has gone since. */
const givenAnswer = (item: object = storedAnswer) => {
  store.on(GetCommand).resolves({ Item: item });
  run.mockRejectedValue(new Refusal('device_group_not_found'));
};

beforeEach(() => {
  run.mockReset();
  store.on(UpdateCommand).resolves({ Attributes: { calls: 1 } });
  store.on(GetCommand).resolves({});
});

test('neither reads nor stores an answer without a key', async () => {
  expect(await create({})).toMatchObject({ status: 201 });
  expect(store).not.toHaveReceivedCommand(GetCommand);
  expect(run).toHaveBeenCalledWith(expect.objectContaining({ firstAnswer: undefined }));
});

test('gives the handler the answer to store for a new key, per client and endpoint, with the hash of the body, and does not read it', async () => {
  expect(await create({ 'Idempotency-Key': key })).toMatchObject({ status: 201 });
  expect(store).not.toHaveReceivedCommand(GetCommand);
  const [[{ firstAnswer, now }]] = run.mock.calls as [[{ firstAnswer: unknown; now: string }]];
  expect(firstAnswer).toEqual({
    id: `answer#client1#POST /v3/jobs/create#${key}`,
    fingerprint,
    reply: { success: true, job: sampleJob() },
    at: now,
  });
});

test.each([
  ['would be refused', new Refusal('device_group_not_found')],
  ['fails', new Error('throttled')],
])('repeats the first answer for the same key and body when the request %s', async (_, error) => {
  givenAnswer();
  run.mockRejectedValue(error);
  const answer = await create({ 'Idempotency-Key': key });
  expect(answer).toMatchObject({
    status: 201,
    body: { job: { name: 'First' } },
    headers: { 'X-RateLimit-Limit': '60' },
  });
  const [lookup] = store.commandCalls(GetCommand);
  expect(lookup?.args[0].input).toMatchObject({
    Key: { id: `answer#client1#POST /v3/jobs/create#${key}` },
    ConsistentRead: true,
  });
  expect(logLines()).toMatchObject([{ level: 'INFO', status: 201 }]);
});

test('takes a body for the same as that of the day before, whose order of members counted', async () => {
  givenAnswer({ ...storedAnswer, fingerprint: hashOf(JSON.stringify(body)) });
  expect(await create({ 'Idempotency-Key': key })).toMatchObject({ status: 201 });
});

test('takes a body for the same whatever the order of members, at every depth', async () => {
  const one = { ...body, metadata: { a: { x: 1, y: [{ m: 1, n: 2 }] }, b: 2 } };
  const other = { metadata: { b: 2, a: { y: [{ n: 2, m: 1 }], x: 1 } }, ...body };
  givenAnswer({ ...storedAnswer, fingerprint: hashOf(canonicalize(one)) });
  expect(await create({ 'Idempotency-Key': key }, other)).toMatchObject({ status: 201 });
  const lists = { ...one, metadata: { ...one.metadata, a: { x: 1, y: [{ n: 2, m: 2 }] } } };
  expect(await create({ 'Idempotency-Key': key }, lists)).toMatchObject(reused);
});

test.each([[[key, key]], ['00000000-0000-0000-0000-000000000000'], [`"${key}`], ['']])(
  'refuses the key %j',
  async (given) => {
    expect(await create({ 'Idempotency-Key': given })).toMatchObject({
      status: 400,
      body: { details: [{ path: 'Idempotency-Key' }] },
    });
    expect(run).not.toHaveBeenCalled();
  },
);

test('takes a key in quotes for the same', async () => {
  await create({ 'Idempotency-Key': `"${key.toUpperCase()}"` });
  expect(run.mock.calls).toMatchObject([[{ firstAnswer: { id: `answer#client1#POST /v3/jobs/create#${key}` } }]]);
});

test('takes a body for the same whatever its defaults, its whitespace and the order of its fields', async () => {
  givenAnswer();
  const { priority, ...withDefault } = body;
  expect(priority).toBe(5);
  const reordered = '{ "deviceGroupId": "' + id('group') + '",\n "name": "Rim" }';
  expect(await create({ 'Idempotency-Key': key }, withDefault)).toMatchObject({ status: 201 });
  expect(await create({ 'Idempotency-Key': key }, reordered)).toMatchObject({ status: 201 });
});

test('refuses the same key with another body', async () => {
  givenAnswer();
  expect(await create({ 'Idempotency-Key': key }, { ...body, name: 'Other' })).toMatchObject(reused);
});

test.each([
  ['repeats the first answer for the same body', fingerprint, { status: 201, body: { job: { name: 'First' } } }],
  ['refuses another body', 'another hash', reused],
])('%s when the transaction tells that the key was used, and does not read it', async (_, first, expected) => {
  run.mockRejectedValue(new AlreadyAnswered(first, { success: true, job: summary }));
  expect(await create({ 'Idempotency-Key': key })).toMatchObject(expected);
  expect(logLines()).toHaveLength(1);
  expect(store).not.toHaveReceivedCommand(GetCommand);
});

test('answers 500 when the stored answer is invalid', async () => {
  givenAnswer({ ...storedAnswer, reply: '{"success":true}' });
  expect(await create({ 'Idempotency-Key': key })).toMatchObject({ status: 500 });
  expect(logLines()).toMatchObject([{ level: 'ERROR', status: 500, error: { name: '$ZodError' } }]);
});

test.each([
  ['an answer of the last day', { ...storedAnswer, ttl: 1 }],
  ['any answer', undefined],
])('passes on the refusal without %s', async (_, item) => {
  store.on(GetCommand).resolves({ Item: item });
  run.mockRejectedValue(new Refusal('device_group_not_found'));
  expect(await create({ 'Idempotency-Key': key })).toMatchObject({ status: 404 });
  expect(logLines()).toMatchObject([{ status: 404 }]);
});

test('answers 500 in place of a refusal when the key cannot be read', async () => {
  store.on(GetCommand).rejects(new Error('throttled'));
  run.mockRejectedValue(new Refusal('device_group_not_found'));
  expect(await create({ 'Idempotency-Key': key })).toMatchObject({ status: 500 });
});

describe('of an endpoint that must do nothing for a repeat', () => {
  const fresh = own.serve('POST /v3/jobs/create', createJob, runJob, jsonBody, freshIdempotencyKey);

  test('looks up the key before it runs the handler', async () => {
    store.on(GetCommand).resolves({ Item: storedAnswer });
    const headers = { 'Idempotency-Key': key };
    expect(await create(headers, body, fresh)).toMatchObject({ status: 201, body: { job: { name: 'First' } } });
    expect(await create(headers, { ...body, name: 'Other' }, fresh)).toMatchObject(reused);
    expect(run).not.toHaveBeenCalled();
    store.on(GetCommand).resolves({});
    expect(await create(headers, body, fresh)).toMatchObject({
      status: 201,
      body: { job: { name: sampleJob().name } },
    });
  });

  test('runs nothing when the key cannot be read', async () => {
    store.on(GetCommand).rejects(new Error('throttled'));
    expect(await create({ 'Idempotency-Key': key }, body, fresh)).toMatchObject({ status: 500 });
    expect(run).not.toHaveBeenCalled();
  });

  test('repeats the answer of a request that ended meanwhile', async () => {
    store.on(GetCommand).resolvesOnce({}).resolves({ Item: storedAnswer });
    run.mockRejectedValue(new Refusal('no_device'));
    const answer = await create({ 'Idempotency-Key': key }, body, fresh);
    expect(answer).toMatchObject({ status: 201, body: { job: { name: 'First' } } });
  });

  test('reads nothing without a key', async () => {
    expect(await create({}, body, fresh)).toMatchObject({ status: 201 });
    expect(store).not.toHaveReceivedCommand(GetCommand);
  });
});

test.each([
  [key.toUpperCase(), 'Idempotency-Key'],
  [` ${key} `, 'Idempotency-Key'],
  [key, 'idempotency-key'],
])('takes the key %j in the header %s for the same key', async (given, name) => {
  await create({ [name]: given });
  expect(run.mock.calls).toMatchObject([[{ firstAnswer: { id: `answer#client1#POST /v3/jobs/create#${key}` } }]]);
});

test.each(['', ' ', '1', 'key', `${key}0`, key.replaceAll('-', ''), `{${key}}`, `${key}#x`, `urn:uuid:${key}`])(
  'refuses the key %j, which is no UUID',
  async (given) => {
    expect(await create({ 'Idempotency-Key': given })).toMatchObject({
      status: 400,
      body: { details: [{ path: 'Idempotency-Key', message: 'must be a UUID' }] },
    });
    expect(run).not.toHaveBeenCalled();
  },
);

describe('what makes a request the same', () => {
  /** A request as the steps before have read it. */
  interface Sent {
    readonly clientId: string;
    readonly operation: EndpointKey;
    readonly path: Record<string, string>;
    readonly query: Record<string, string> | undefined;
    readonly body: Record<string, unknown>;
    readonly uuid: string;
  }
  const parametersIn = (operation: EndpointKey) => [...operation.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
  const idempotent = Object.entries<Endpoint>(endpoints).filter(([, row]) => row.idempotent);
  const sentTo = (operation: EndpointKey): Sent => ({
    clientId: 'client1',
    operation,
    path: Object.fromEntries(parametersIn(operation).map((name) => [name, `${name}-1`])),
    query: undefined,
    body: { name: 'Rim', more: { a: 1, b: 2 } },
    uuid: key,
  });
  const goOn = () => Promise.resolve();
  /** The record of a request: where its answer is kept, and what a repeat is compared with. */
  async function recordOf({ clientId, operation, path, query, body: sent, uuid }: Sent) {
    const caller = { clientId } as Exchange['caller'];
    const exchange = { key: operation, startedAt: 0, caller, query, body: sent } as Exchange;
    const hasPath = Object.keys(path).length > 0;
    await idempotencyKey(exchange, request({ ...(hasPath && { path }), headers: { 'Idempotency-Key': uuid } }), goOn);
    return exchange.idempotency;
  }
  const changes = idempotent.flatMap(([name]) => {
    const operation = name as EndpointKey;
    const sent = sentTo(operation);
    const other = idempotent.find(([key]) => key !== name)?.[0] as EndpointKey;
    return [
      // Another creation: the key is free.
      ['client', 'id', sent, { clientId: 'client2' }],
      ['endpoint', 'id', sent, { operation: other }],
      ['key', 'id', sent, { uuid: key.replace('c0', 'c1') }],
      ...parametersIn(operation).map((part) => [part, 'id', sent, { path: { ...sent.path, [part]: 'other' } }]),
      // Another request under the same key: refused.
      ['body', 'fingerprint', sent, { body: { ...sent.body, more: { a: 1, b: 3 } } }],
      ['query', 'fingerprint', sent, { query: { limit: '1' } }],
    ].map((row) => [operation, ...row] as [EndpointKey, string, 'id' | 'fingerprint', Sent, Partial<Sent>]);
  });

  test.each(changes)('%s: another %s makes another %s', async (_, __, what, sent, change) => {
    const [first, other] = [await recordOf(sent), await recordOf({ ...sent, ...change })];
    expect(other?.[what]).not.toBe(first?.[what]);
    const same = what === 'id' ? 'fingerprint' : 'id';
    expect(other?.[same]).toBe(first?.[same]);
  });

  test.each(idempotent.map(([name]) => name as EndpointKey))('%s: not the order of members', async (operation) => {
    const sent = sentTo(operation);
    const again = await recordOf({ ...sent, query: {}, body: { more: { b: 2, a: 1 }, name: 'Rim' } });
    expect(again).toEqual(await recordOf(sent));
  });

  test('a path of any length or text makes an identifier that can be stored', async () => {
    const sent = sentTo('POST /v3/devices/{deviceId}/commands');
    for (const deviceId of ['x'.repeat(8000), 'a#b', '№ 7']) {
      const { id: stored = '' } = (await recordOf({ ...sent, path: { deviceId } })) ?? {};
      expect(Buffer.byteLength(stored)).toBeLessThan(256);
      expect(stored.split('#')).toHaveLength(5);
    }
  });
});

test('ignores a key on an endpoint that is not idempotent by key', async () => {
  const patch = serve('PATCH /v3/jobs/{jobId}', () => Promise.resolve({ success: true, job: sampleJob() }));
  const answer = await call(patch, { scopes: ['command:update'], body: {}, headers: { 'Idempotency-Key': 'odd' } });
  expect(answer.status).toBe(200);
  expect(store).not.toHaveReceivedAnyCommand();
});
