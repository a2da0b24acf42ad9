import { createHash } from 'node:crypto';
import canonicalize from 'canonicalize';
import { GetCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { AlreadyAnswered } from '../../../data/requests/already-answered';
import { serve } from '../fixtures/serve';
import { id, sampleJob } from '../../domain/fixtures/samples';
import { store } from '../../data/fixtures/store';
import { call } from '../fixtures/api-gateway';
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
const handler = serve('POST /v3/jobs/create', async ({ firstAnswer, now }) => {
  await run({ firstAnswer: firstAnswer({ success: true, job: sampleJob() }), now });
  return { success: true, job: sampleJob() };
});
const create = (headers: Record<string, string | string[]>, sent: unknown = body) =>
  call(handler, { scopes: ['command:create'], body: sent, headers });

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

test('gives the handler the answer to store for a new key, per client and endpoint, with the hash of the body', async () => {
  expect(await create({ 'Idempotency-Key': key })).toMatchObject({ status: 201 });
  const [[{ firstAnswer, now }]] = run.mock.calls as [[{ firstAnswer: unknown; now: string }]];
  expect(firstAnswer).toEqual({
    id: `answer#client1#POST /v3/jobs/create#${key}`,
    fingerprint,
    reply: { success: true, job: sampleJob() },
    at: now,
  });
});

test('repeats the first answer for the same key and body, without running the handler', async () => {
  store.on(GetCommand).resolves({ Item: storedAnswer });
  const answer = await create({ 'Idempotency-Key': key });
  expect(answer).toMatchObject({
    status: 201,
    body: { job: { name: 'First' } },
    headers: { 'X-RateLimit-Limit': '60' },
  });
  expect(run).not.toHaveBeenCalled();
  expect(logLines()).toMatchObject([{ level: 'INFO', status: 201 }]);
});

test('takes a body for the same as that of the day before, whose order of members counted', async () => {
  store.on(GetCommand).resolves({ Item: { ...storedAnswer, fingerprint: hashOf(JSON.stringify(body)) } });
  expect(await create({ 'Idempotency-Key': key })).toMatchObject({ status: 201 });
  expect(run).not.toHaveBeenCalled();
});

test('takes a body for the same whatever the order of members, at every depth', async () => {
  const one = { ...body, metadata: { a: { x: 1, y: [{ m: 1, n: 2 }] }, b: 2 } };
  const other = { metadata: { b: 2, a: { y: [{ n: 2, m: 1 }], x: 1 } }, ...body };
  store.on(GetCommand).resolves({ Item: { ...storedAnswer, fingerprint: hashOf(canonicalize(one)) } });
  expect(await create({ 'Idempotency-Key': key }, other)).toMatchObject({ status: 201 });
  expect(run).not.toHaveBeenCalled();
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
  store.on(GetCommand).resolves({ Item: storedAnswer });
  const { priority, ...withDefault } = body;
  expect(priority).toBe(5);
  const reordered = '{ "deviceGroupId": "' + id('group') + '",\n "name": "Rim" }';
  expect(await create({ 'Idempotency-Key': key }, withDefault)).toMatchObject({ status: 201 });
  expect(await create({ 'Idempotency-Key': key }, reordered)).toMatchObject({ status: 201 });
  expect(run).not.toHaveBeenCalled();
});

test('refuses the same key with another body', async () => {
  store.on(GetCommand).resolves({ Item: storedAnswer });
  expect(await create({ 'Idempotency-Key': key }, { ...body, name: 'Other' })).toMatchObject(reused);
  expect(run).not.toHaveBeenCalled();
});

test.each([
  ['repeats the first answer for the same body', fingerprint, { status: 201, body: { job: { name: 'First' } } }],
  ['refuses another body', 'another hash', reused],
])('%s when the key was used at the same moment', async (_, first, expected) => {
  run.mockRejectedValue(new AlreadyAnswered(first, { success: true, job: summary }));
  expect(await create({ 'Idempotency-Key': key })).toMatchObject(expected);
  expect(logLines()).toHaveLength(1);
});

test('answers 500 when the stored answer is invalid', async () => {
  store.on(GetCommand).resolves({ Item: { ...storedAnswer, reply: '{"success":true}' } });
  expect(await create({ 'Idempotency-Key': key })).toMatchObject({ status: 500 });
  expect(logLines()).toMatchObject([{ level: 'ERROR', status: 500, error: { name: '$ZodError' } }]);
});

test('answers 500 without running the handler when the key cannot be read', async () => {
  store.on(GetCommand).rejects(new Error('throttled'));
  expect(await create({ 'Idempotency-Key': key })).toMatchObject({ status: 500 });
  expect(run).not.toHaveBeenCalled();
});

test.each([
  [key.toUpperCase(), 'Idempotency-Key'],
  [` ${key} `, 'Idempotency-Key'],
  [key, 'idempotency-key'],
])('takes the key %j in the header %s for the same key', async (given, name) => {
  await create({ [name]: given });
  const [lookup] = store.commandCalls(GetCommand);
  expect(lookup?.args[0].input.Key).toEqual({ id: `answer#client1#POST /v3/jobs/create#${key}` });
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

test('ignores a key on an endpoint that is not idempotent by key', async () => {
  const patch = serve('PATCH /v3/jobs/{jobId}', () => Promise.resolve({ success: true, job: sampleJob() }));
  const answer = await call(patch, { scopes: ['command:update'], body: {}, headers: { 'Idempotency-Key': 'odd' } });
  expect(answer.status).toBe(200);
  expect(store).not.toHaveReceivedAnyCommand();
});
