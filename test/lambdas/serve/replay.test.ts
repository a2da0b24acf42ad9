import { createHash } from 'node:crypto';
import { GetCommand, UpdateCommand } from '../../../data/store/document-client';
import { AlreadyAnswered } from '../../../data/requests/idempotency';
import { serve } from '../fixtures/serve';
import { id, sampleJob } from '../../domain/fixtures/samples';
import { store } from '../../data/fixtures/store';
import { call } from '../fixtures/api-gateway';
import { logLines } from '../fixtures/log';

const key = 'c0ffee00-1234-4abc-8def-0123456789ab';
const body = { name: 'Rim', deviceGroupId: id('group'), priority: 5 };
const fingerprint = createHash('sha256').update(JSON.stringify(body)).digest('base64');
const summary = {
  jobId: id('job'),
  name: 'First',
  status: 'PENDING',
  priority: 5,
  createdAt: '2026-11-27T10:00:00.000Z',
};
const kept = { fingerprint, reply: JSON.stringify({ success: true, job: summary }), ttl: 4e9 };
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
const create = (headers: Record<string, string>, sent: unknown = body) =>
  call(handler, { scopes: ['command:create'], body: sent, headers });

beforeEach(() => {
  run.mockReset();
  store.on(UpdateCommand).resolves({ Attributes: { calls: 1 } });
  store.on(GetCommand).resolves({});
});

test('Without a key nothing is looked up, and there is no answer to keep.', async () => {
  expect(await create({})).toMatchObject({ status: 201 });
  expect(store).not.toHaveReceivedCommand(GetCommand);
  expect(run).toHaveBeenCalledWith(expect.objectContaining({ firstAnswer: undefined }));
});

test('With a new key the handler gets what to keep: per client and endpoint, with the hash of the body.', async () => {
  expect(await create({ 'Idempotency-Key': key })).toMatchObject({ status: 201 });
  const [[{ firstAnswer, now }]] = run.mock.calls as [[{ firstAnswer: unknown; now: string }]];
  expect(firstAnswer).toEqual({
    id: `answer#client1#POST /v3/jobs/create#${key}`,
    fingerprint,
    reply: { success: true, job: sampleJob() },
    at: now,
  });
});

test('The same key and body get the first answer again, and the handler is not run.', async () => {
  store.on(GetCommand).resolves({ Item: kept });
  const answer = await create({ 'Idempotency-Key': key });
  expect(answer).toMatchObject({
    status: 201,
    body: { job: { name: 'First' } },
    headers: { 'X-RateLimit-Limit': '60' },
  });
  expect(run).not.toHaveBeenCalled();
  expect(logLines()).toMatchObject([{ level: 'INFO', status: 201 }]);
});

test('The same body said in another way is the same body.', async () => {
  store.on(GetCommand).resolves({ Item: kept });
  const { priority, ...withDefault } = body;
  expect(priority).toBe(5);
  const reordered = '{ "deviceGroupId": "' + id('group') + '",\n "name": "Rim" }';
  expect(await create({ 'Idempotency-Key': key }, withDefault)).toMatchObject({ status: 201 });
  expect(await create({ 'Idempotency-Key': key }, reordered)).toMatchObject({ status: 201 });
  expect(run).not.toHaveBeenCalled();
});

test('The same key with another body is refused.', async () => {
  store.on(GetCommand).resolves({ Item: kept });
  expect(await create({ 'Idempotency-Key': key }, { ...body, name: 'Other' })).toMatchObject(reused);
  expect(run).not.toHaveBeenCalled();
});

test.each([
  ['the same body gets the first answer', fingerprint, { status: 201, body: { job: { name: 'First' } } }],
  ['another body is refused', 'another hash', reused],
])('When the key was used at this very moment, %s.', async (_, first, expected) => {
  run.mockRejectedValue(new AlreadyAnswered(first, { success: true, job: summary }));
  expect(await create({ 'Idempotency-Key': key })).toMatchObject(expected);
  expect(logLines()).toHaveLength(1);
});

test('A first answer that was kept broken is a 500, not a job.', async () => {
  store.on(GetCommand).resolves({ Item: { ...kept, reply: '{"success":true}' } });
  expect(await create({ 'Idempotency-Key': key })).toMatchObject({ status: 500 });
  expect(logLines()).toMatchObject([{ level: 'ERROR', status: 500, error: { name: '$ZodError' } }]);
});

test('When the key can not be looked up nothing is made: 500.', async () => {
  store.on(GetCommand).rejects(new Error('throttled'));
  expect(await create({ 'Idempotency-Key': key })).toMatchObject({ status: 500 });
  expect(run).not.toHaveBeenCalled();
});

test.each([
  [key.toUpperCase(), 'Idempotency-Key'],
  [` ${key} `, 'Idempotency-Key'],
  [key, 'idempotency-key'],
])('The key %j in the header %s is the same key.', async (given, name) => {
  await create({ [name]: given });
  const [lookup] = store.commandCalls(GetCommand);
  expect(lookup?.args[0].input.Key).toEqual({ id: `answer#client1#POST /v3/jobs/create#${key}` });
});

test.each(['', ' ', '1', 'key', `${key}0`, key.replaceAll('-', ''), `{${key}}`, `${key}#x`, `urn:uuid:${key}`])(
  'The key %j is no UUID and is refused.',
  async (given) => {
    expect(await create({ 'Idempotency-Key': given })).toMatchObject({
      status: 400,
      body: { details: [{ path: 'Idempotency-Key', message: 'must be a UUID' }] },
    });
    expect(run).not.toHaveBeenCalled();
  },
);

test('A key means nothing to an endpoint that makes nothing new.', async () => {
  const patch = serve('PATCH /v3/jobs/{jobId}', () => Promise.resolve({ success: true, job: sampleJob() }));
  const answer = await call(patch, { scopes: ['command:update'], body: {}, headers: { 'Idempotency-Key': 'odd' } });
  expect(answer.status).toBe(200);
  expect(store).not.toHaveReceivedAnyCommand();
});
