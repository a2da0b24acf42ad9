import { $ZodError } from 'zod/v4/core';
import { UpdateCommand } from '../../../data/store/document-client';
import { toDetails } from '../../../lambdas/serve/details';
import { serve } from '../fixtures/serve';
import { id, sampleJob } from '../../domain/fixtures/samples';
import { store } from '../../data/fixtures/store';
import { call } from '../fixtures/api-gateway';
import '../fixtures/log';

const seen = jest.fn();
const patchJob = serve('PATCH /v3/jobs/{jobId}', ({ body, ifVersion }) => {
  seen({ body, ifVersion });
  return Promise.resolve({ success: true, job: sampleJob() });
});
const listJobs = serve('GET /v3/jobs', ({ query }) => {
  seen({ query });
  return Promise.resolve({ success: true, jobs: [], count: 0 });
});
const patch = (body: unknown, headers = {}) =>
  call(patchJob, { scopes: ['command:update'], path: { jobId: id('job') }, body, headers });
const list = (query: Record<string, string[]>) => call(listJobs, { scopes: ['command:read'], query });
const refused = (...details: { path: string; message: unknown }[]) => ({
  status: 400,
  body: { error: 'invalid_request', details },
});

beforeEach(() => seen.mockReset());

describe('A body', () => {
  test('reaches the handler as its schema reads it.', async () => {
    expect(await patch({ name: 'Other', metadata: { a: [1] } })).toMatchObject({ status: 200 });
    expect(seen).toHaveBeenCalledWith({ body: { name: 'Other', metadata: { a: [1] } }, ifVersion: undefined });
  });

  test.each([
    ['is missing', undefined, 'a JSON body is required'],
    ['is empty', '', 'a JSON body is required'],
    ['was cut', '{"name":"Oth', 'the body is not valid JSON'],
    ['is a form', 'name=Other', 'the body is not valid JSON'],
    ['is two values', '{}{}', 'the body is not valid JSON'],
    ['begins with a byte order mark', '\ufeff{}', 'the body is not valid JSON'],
    ['is null', 'null', expect.stringContaining('expected object')],
    ['is a list', '[]', expect.stringContaining('expected object')],
    ['is text', '"name"', expect.stringContaining('expected object')],
  ])('that %s is refused.', async (_, body, message) => {
    expect(await patch(body)).toMatchObject(refused({ path: '', message }));
    expect(seen).not.toHaveBeenCalled();
  });

  test('with several faults is told each of them, and where.', async () => {
    const answer = await patch({ priority: 11, status: 'PAUSED', metadata: { a: 1e999 } });
    expect(answer.body['details']).toMatchObject([{ path: 'priority' }, { path: 'status' }]);
    expect(await patch('{"metadata":{"a":1e999}}')).toMatchObject(
      refused({ path: 'metadata', message: expect.stringContaining('numbers') }),
    );
  });

  test('with fields that the service does not know is told their names.', async () => {
    expect(await patch('{"nam":"x","jobId":1,"__proto__":{"a":1}}')).toMatchObject(
      refused({ path: '', message: 'unknown field: nam, jobId, __proto__' }),
    );
  });

  test('is not echoed at length.', async () => {
    const { body } = await patch({ ['x'.repeat(5000)]: 1 });
    expect(JSON.stringify(body).length).toBeLessThan(300);
  });

  test('with thousands of unknown fields names the first of them.', async () => {
    const { body } = await patch(Object.fromEntries(Array.from({ length: 9000 }, (_, index) => [`field${index}`, 1])));
    const message = 'unknown field: field0, field1, field2, field3, field4, and 8995 more';
    expect(body).toEqual({ error: 'invalid_request', details: [{ path: '', message }] });
  });

  test('with a list that is too long is refused for that alone.', async () => {
    const handler = serve('POST /v3/streams/share', () => Promise.reject(new Error('not reached')));
    store.on(UpdateCommand).resolves({ Attributes: { calls: 1 } });
    const permissions = Array(100_000).fill('odd');
    const body = { resourceId: id('device'), shareType: 'STREAM', permissions };
    const message = 'must have at most 10 permissions';
    expect(await call(handler, { scopes: ['stream:share'], body })).toMatchObject(
      refused({ path: 'permissions', message }),
    );
  });

  test('with many faults has the first twenty named, and says how many more there are.', () => {
    const issues = Array.from({ length: 25 }, (_, index) => ({
      ...{ code: 'custom' as const, path: [index], message: 'odd', input: 1 },
    }));
    const details = toDetails(new $ZodError(issues));
    expect(details).toHaveLength(21);
    expect(details.slice(19)).toEqual([
      { path: '19', message: 'odd' },
      { path: '', message: 'and 5 more faults' },
    ]);
  });

  test('may come in base64, as API Gateway sends what it takes for binary.', async () => {
    const handler: typeof patchJob = patchJob;
    const encoded = Buffer.from('{"name":"Café"}').toString('base64');
    const answer = await call(
      (event: object, context: never) => handler({ ...event, isBase64Encoded: true } as never, context, {} as never),
      { scopes: ['command:update'], body: encoded },
    );
    expect(answer.status).toBe(200);
    expect(seen).toHaveBeenCalledWith(expect.objectContaining({ body: { name: 'Café' } }));
  });

  test('of an endpoint that takes none is not looked at.', async () => {
    const remove = serve('DELETE /v3/jobs/{jobId}', () => Promise.resolve({ success: true, message: 'done' }));
    expect(await call(remove, { scopes: ['command:update'], body: '{"oops' })).toMatchObject({ status: 200 });
  });
});

describe('A query', () => {
  test('reaches the handler as its schema reads it.', async () => {
    await list({ limit: ['500'], status: ['QUEUED'] });
    expect(seen).toHaveBeenCalledWith({ query: { limit: 100, status: 'QUEUED' } });
  });

  test.each([
    ['a parameter given twice', { status: ['QUEUED', 'FAILED'] }, 'status', 'must be given once'],
    ['a parameter given twice alike', { limit: ['5', '5'] }, 'limit', 'must be given once'],
    ['a limit of nothing', { limit: ['0'] }, 'limit', 'must be an integer of 1 or more'],
    ['an empty limit', { limit: [''] }, 'limit', 'must be an integer of 1 or more'],
    ['a parameter that the service does not know', { page: ['2'] }, '', 'unknown field: page'],
    ['a name that objects are born with', { constructor: ['1'] }, '', 'unknown field: constructor'],
  ])('with %s is refused.', async (_, query, path, message) => {
    expect(await list(query)).toMatchObject(refused({ path, message }));
    expect(seen).not.toHaveBeenCalled();
  });
});

test('A query of an endpoint that takes no parameters is refused by name, like any unknown one.', async () => {
  const handler = serve('GET /v3/jobs/{jobId}', () => Promise.resolve({ success: true, job: sampleJob() }));
  const sent = { scopes: ['command:read'], path: { jobId: id('job') } } as const;
  expect(await call(handler, { ...sent, query: { version: ['3'] } })).toMatchObject(
    refused({ path: '', message: 'unknown field: version' }),
  );
  expect(await call(handler, sent)).toMatchObject({ status: 200 });
});

describe('If-Match', () => {
  test.each([
    ['"3"', 3],
    ['"0"', 0],
    [' "12" ', 12],
    ['*', undefined],
  ])('%j asks for version %s.', async (header, version) => {
    expect(await patch({}, { 'If-Match': header })).toMatchObject({ status: 200 });
    expect(seen).toHaveBeenCalledWith(expect.objectContaining({ ifVersion: version }));
  });

  test.each(['3', 'W/"3"', '"x"', '""', '"3', "'3'", '"-1"', '"1.5"', `"${'9'.repeat(40)}"`, '"3", "4"', ''])(
    '%j is no version that we gave: it asks for one that no job has, so that a job that is not there stays 404.',
    async (header) => {
      await patch({}, { 'If-Match': header });
      expect(seen).toHaveBeenCalledWith(expect.objectContaining({ ifVersion: 0 }));
    },
  );

  test('is found whatever the case of its name.', async () => {
    await patch({}, { 'iF-mAtCh': '"7"' });
    expect(seen).toHaveBeenCalledWith(expect.objectContaining({ ifVersion: 7 }));
  });

  test('means nothing to an endpoint without versions.', async () => {
    store.on(UpdateCommand).resolves({ Attributes: { calls: 1 } });
    const create = serve('POST /v3/jobs/create', () => Promise.resolve({ success: true, job: sampleJob() }));
    const body = { name: 'Rim', deviceGroupId: id('group') };
    const answer = await call(create, { scopes: ['command:create'], body, headers: { 'If-Match': 'odd' } });
    expect(answer.status).toBe(201);
    expect(answer.headers).not.toHaveProperty('ETag');
  });
});
