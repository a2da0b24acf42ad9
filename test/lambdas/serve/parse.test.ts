import { $ZodError } from 'zod/v4/core';
import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { toDetails } from '../../../lambdas/runtime/details';
import { serve } from '../fixtures/serve';
import { id, sampleJob, refusalOf } from '../../domain/fixtures/samples';
import { store } from '../../data/fixtures/store';
import { call, request } from '../fixtures/api-gateway';
import '../fixtures/log';
import { endpoints, type EndpointKey } from '../../../contract/endpoints';
import { negotiate } from '../../../lambdas/serve/negotiate';
import type { Exchange } from '../../../lambdas/serve/request';

const goOn = () => Promise.resolve();

describe('Parse', () => {
  const seen = jest.fn();
  const patchJob = serve('PATCH /v3/jobs/{jobId}', ({ body, ifVersions }) => {
    seen({ body, ifVersions });
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

  const BEYOND = 'is beyond ±9007199254740991: write it as text';

  beforeEach(() => seen.mockReset());

  describe('A body', () => {
    test('reaches the handler as its schema parses it', async () => {
      expect(await patch({ name: 'Other', metadata: { a: [1] } })).toMatchObject({ status: 200 });
      expect(seen).toHaveBeenCalledWith({ body: { name: 'Other', metadata: { a: [1] } }, ifVersions: undefined });
    });

    test.each([
      ['is missing', undefined, 'a JSON body is required'],
      ['is empty', '', 'a JSON body is required'],
      ['is truncated', '{"name":"Oth', 'the body is not valid JSON'],
      ['is a form', 'name=Other', 'the body is not valid JSON'],
      ['is two values', '{}{}', 'the body is not valid JSON'],
      ['begins with a byte order mark', '\ufeff{}', 'the body is not valid JSON'],
      ['is null', 'null', 'must be an object'],
      ['is a list', '[]', 'must be an object'],
      ['is text', '"name"', 'must be an object'],
    ])('that %s is refused', async (_, body, message) => {
      expect(await patch(body)).toMatchObject(refused({ path: '', message }));
      expect(seen).not.toHaveBeenCalled();
    });

    test('with several faults is answered with each of them and its path', async () => {
      const answer = await patch({ priority: 11, status: 'PAUSED', metadata: { a: 1e999 } });
      expect(answer.body['details']).toMatchObject([{ path: 'priority' }, { path: 'status' }]);
      expect(await patch('{"metadata":{"a":1e999}}')).toMatchObject(
        refused({ path: 'metadata.a', message: 'must be a number that JSON can carry back' }),
      );
    });

    test.each<[string, string, string, string]>([
      ['a member twice', '{"name":"a","name":"b"}', 'name', 'must be given once'],
      ['a member twice, alike', '{"priority":1,"priority":1}', 'priority', 'must be given once'],
      ['a member twice, written differently', '{"name":"a","n\\u0061me":"b"}', 'name', 'must be given once'],
      [
        'a member of metadata twice',
        '{"metadata":{"a":[{"b":1},{"b":1,"b":2}]}}',
        'metadata.a.1.b',
        'must be given once',
      ],
      ['an integer that would be rounded', '{"metadata":{"id":1610521604143693812}}', 'metadata.id', BEYOND],
      ['a negative one', '{"metadata":{"a":[-9007199254740992]}}', 'metadata.a.0', BEYOND],
      ['one with an exponent', '{"metadata":{"a":1610521604143693812e0}}', 'metadata.a', BEYOND],
      ['half a surrogate pair', '{"metadata":{"a":"x\\ud83d"}}', 'metadata.a', 'must be well-formed Unicode'],
      ['half a pair in a name', '{"metadata":{"\\udc00":1}}', 'metadata.\ufffd', 'must be well-formed Unicode'],
      ['half a pair in a field', '{"name":"\\ud83d"}', 'name', 'must be well-formed Unicode'],
      ['what is not UTF-8', '{"name":"Z\ufffdrich"}', 'name', 'is not UTF-8'],
      ['a name that is not UTF-8', '{"metadata":{"\ufffd":1}}', 'metadata.\ufffd', 'is not UTF-8'],
      ['65 levels', `{"metadata":${'['.repeat(64)}${']'.repeat(64)}}`, '', 'must not be nested deeper than 64 levels'],
    ])('with %s is refused by path', async (_, text, path, message) => {
      expect(await patch(text)).toMatchObject(refused({ path, message }));
      expect(seen).not.toHaveBeenCalled();
    });

    test.each([
      ['a long decimal', '{"metadata":{"a":0.12345678901234567890123}}'],
      ['the largest integers', '{"metadata":{"a":[9007199254740991,-9007199254740991]}}'],
      ['an escaped U+FFFD', '{"name":"\\ufffd"}'],
      ['a whole surrogate pair', '{"name":"\\ud83d\\ude81"}'],
      ['a name twice in different objects', '{"metadata":{"a":{"b":1},"b":{"b":2}}}'],
      ['the names of Object.prototype', '{"metadata":{"toString":1,"constructor":2}}'],
    ])('with %s is accepted', async (_, text) => {
      expect(await patch(text)).toMatchObject({ status: 200 });
    });

    test.each([
      ['application/json; charset=ISO-8859-1', 415],
      ['application/json; charset=utf-16', 415],
      ['application/json;charset="UTF-8"', 200],
      ['application/json; Charset=utf8; version=3', 200],
      ['text/plain', 200],
      ['nonsense', 200],
      [['application/json', 'application/json'], 400],
    ])('of the type %j is answered with %d', async (type, status) => {
      expect(await patch({}, { 'content-type': type })).toMatchObject({ status });
    });

    test('with unknown fields is answered with their names', async () => {
      expect(await patch('{"nam":"x","jobId":1,"constructor":{"a":1}}')).toMatchObject(
        refused(
          { path: 'nam', message: 'unknown field; did you mean name?' },
          { path: 'jobId', message: 'unknown field' },
          { path: 'constructor', message: 'unknown field' },
        ),
      );
    });

    test('is not repeated at length in the answer', async () => {
      const { body } = await patch({ ['x'.repeat(5000)]: 1 });
      expect(JSON.stringify(body).length).toBeLessThan(300);
    });

    test('with thousands of unknown fields is answered with the first of them', async () => {
      const { body } = await patch(
        Object.fromEntries(Array.from({ length: 9000 }, (_, index) => [`field${index}`, 1])),
      );
      const details = body['details'] as object[];
      expect(details).toHaveLength(21);
      expect(details.slice(19)).toEqual([
        { path: 'field19', message: 'unknown field' },
        { path: '', message: 'and 8980 more faults' },
      ]);
    });

    test('with a list that is too long is refused for its length only', async () => {
      const handler = serve('POST /v3/streams/share', () => Promise.reject(new Error('not reached')));
      store.on(UpdateCommand).resolves({ Attributes: { calls: 1 } });
      const permissions = Array(100_000).fill('odd');
      const body = { resourceId: id('device'), shareType: 'STREAM', permissions };
      const message = 'must have at most 10 permissions';
      expect(await call(handler, { scopes: ['stream:share'], body })).toMatchObject(
        refused({ path: 'permissions', message }),
      );
    });

    test('with many faults is answered with the first 20 and the number of the others', () => {
      const issues = Array.from({ length: 25 }, (_, index) => ({
        code: 'custom' as const,
        path: [index],
        message: 'odd',
        input: 1,
      }));
      const details = toDetails(new $ZodError(issues));
      expect(details).toHaveLength(21);
      expect(details.slice(19)).toEqual([
        { path: '19', message: 'odd' },
        { path: '', message: 'and 5 more faults' },
      ]);
    });

    test('is decoded from base64, in which API Gateway sends binary bodies', async () => {
      const handler: typeof patchJob = patchJob;
      const encoded = Buffer.from('{"name":"Café"}').toString('base64');
      const answer = await call(
        (event: object, context: never) => handler({ ...event, isBase64Encoded: true } as never, context, {} as never),
        { scopes: ['command:update'], body: encoded },
      );
      expect(answer.status).toBe(200);
      expect(seen).toHaveBeenCalledWith(expect.objectContaining({ body: { name: 'Café' } }));
    });

    test('is ignored by an endpoint without one', async () => {
      const remove = serve('DELETE /v3/jobs/{jobId}', () => Promise.resolve({ success: true, message: 'done' }));
      expect(await call(remove, { scopes: ['command:update'], body: '{"oops' })).toMatchObject({ status: 200 });
    });
  });

  describe('A query', () => {
    test('reaches the handler as its schema parses it', async () => {
      await list({ limit: ['500'], status: ['QUEUED'] });
      expect(seen).toHaveBeenCalledWith({ query: { limit: 100, status: 'QUEUED' } });
    });

    const known = '(known: deviceGroupId, deviceId, limit, nextToken, status)';
    test.each([
      ['a parameter given twice', { status: ['QUEUED', 'FAILED'] }, 'status', 'must be given once'],
      ['a parameter given twice with one value', { limit: ['5', '5'] }, 'limit', 'must be given once'],
      ['a limit of zero', { limit: ['0'] }, 'limit', 'must be an integer of 1 or more'],
      ['an empty limit', { limit: [''] }, 'limit', 'must be an integer of 1 or more'],
      ['an unknown parameter', { page: ['2'] }, 'page', `unknown parameter ${known}`],
      ['the name of an inherited property', { constructor: ['1'] }, 'constructor', `unknown parameter ${known}`],
    ])('with %s is refused', async (_, query, path, message) => {
      expect(await list(query)).toMatchObject(refused({ path, message }));
      expect(seen).not.toHaveBeenCalled();
    });
  });

  test('a query of an endpoint without parameters is refused with their names', async () => {
    const handler = serve('GET /v3/jobs/{jobId}', () => Promise.resolve({ success: true, job: sampleJob() }));
    const sent = { scopes: ['command:read'], path: { jobId: id('job') } } as const;
    expect(await call(handler, { ...sent, query: { version: ['3'] } })).toMatchObject(
      refused({ path: 'version', message: 'unknown parameter (this endpoint has none)' }),
    );
    expect(await call(handler, sent)).toMatchObject({ status: 200 });
  });

  describe('If-Match', () => {
    test.each<[string | string[], readonly number[] | undefined]>([
      ['"3"', [3]],
      ['"0"', [0]],
      [' "12" ', [12]],
      ['*', undefined],
      ['"3", "4"', [3, 4]],
      [' , "3" ,,"x,y", W/"5"', [3]],
      [
        ['"3"', '"4"'],
        [3, 4],
      ],
    ])('%j requires one of the versions %j', async (header, versions) => {
      expect(await patch({}, { 'If-Match': header })).toMatchObject({ status: 200 });
      expect(seen).toHaveBeenCalledWith(expect.objectContaining({ ifVersions: versions }));
    });

    test.each(['W/"3"', '"x"', '""', '"-1"', '"1.5"', `"${'9'.repeat(40)}"`, '"3\u00e9"'])(
      '%j, which is no strong ETag of this service, requires a version that no job has, so that an unknown job is still a 404',
      async (header) => {
        await patch({}, { 'If-Match': header });
        expect(seen).toHaveBeenCalledWith(expect.objectContaining({ ifVersions: [0] }));
      },
    );

    test.each(['3', '"3', "'3'", '', ',', '"3" "4"', 'w/"3"', '*, "3"', '"3", x', '"a b"'])(
      '%j, which is no list of entity tags, is refused',
      async (header) => {
        const message = 'must be entity tags, such as "3", or *';
        expect(await patch({}, { 'If-Match': header })).toMatchObject(refused({ path: 'If-Match', message }));
      },
    );

    test('has at most 100 entity tags', async () => {
      const tags = (count: number) => Array.from({ length: count }, (_, index) => `"${index}"`).join();
      expect(await patch({}, { 'If-Match': tags(100) })).toMatchObject({ status: 200 });
      expect(await patch({}, { 'If-Match': tags(101) })).toMatchObject({ status: 400 });
    });

    test('is read whatever the case of its name', async () => {
      await patch({}, { 'iF-mAtCh': '"7"' });
      expect(seen).toHaveBeenCalledWith(expect.objectContaining({ ifVersions: [7] }));
    });

    test('is ignored by an endpoint without versions', async () => {
      store.on(UpdateCommand).resolves({ Attributes: { calls: 1 } });
      const create = serve('POST /v3/jobs/create', () => Promise.resolve({ success: true, job: sampleJob() }));
      const body = { name: 'Rim', deviceGroupId: id('group') };
      const answer = await call(create, { scopes: ['command:create'], body, headers: { 'If-Match': 'odd' } });
      expect(answer.status).toBe(201);
      expect(answer.headers).not.toHaveProperty('ETag');
    });
  });
});

const exchangeOf = (key: EndpointKey): Exchange => ({
  key,
  endpoint: endpoints[key],
  startedAt: 0,
  headers: {},
  query: {},
});
const KML = 'application/vnd.google-earth.kml+xml';

describe('negotiate', () => {
  test.each<[string | string[] | undefined, string]>([
    [undefined, 'application/geo+json'],
    ['*/*', 'application/geo+json'],
    ['application/*', 'application/geo+json'],
    ['application/json', 'application/json'],
    ['application/json, text/plain, */*', 'application/json'],
    ['', 'application/geo+json'],
    ['APPLICATION/GEO+JSON', 'application/geo+json'],
    [KML, KML],
    ['text/*', 'text/csv'],
    [`text/csv;q=0.5, ${KML};q=0.8`, KML],
    ['text/html, text/csv;q=0.1', 'text/csv'],
    ['text/csv; charset=utf-8', 'text/csv'],
    ['application/json; version=3', 'application/json'],
    [`text/csv;charset="a,b;q=0";q=0.5, ${KML};version=2;Q=0.8`, KML],
    ['application/geo+json;v=1;q=0.1, application/json; x', 'application/json'],
    [['text/csv;q=0.1', KML], KML],
    [`application/geo+json;q=0, application/json;q=0, */*;q=0.1`, KML],
  ])('selects for the Accept %s %s', async (accept, expected) => {
    const exchange = exchangeOf('GET /v3/jobs/{jobId}/track');
    await negotiate(exchange, request(accept === undefined ? {} : { headers: { Accept: accept } }), goOn);
    expect(exchange.mediaType).toBe(expected);
    expect(exchange.headers).toEqual({ Vary: 'Accept' });
  });

  test.each([
    ['geojson', 'text/csv', 'application/geo+json'],
    ['kml', '*/*', KML],
    ['csv', 'none', 'text/csv'],
  ])('selects the format %s before the Accept %s', async (format, accept, expected) => {
    const exchange = { ...exchangeOf('GET /v3/jobs/{jobId}/track'), query: { format } };
    await negotiate(exchange, request({ headers: { accept } }), goOn);
    expect(exchange.mediaType).toBe(expected);
  });

  test.each(['text/html', 'application/gpx+xml', '*/*;q=0', 'none'])('refuses the Accept «%s»', (accept) => {
    const exchange = exchangeOf('GET /v3/jobs/{jobId}/track');
    const { code, details } = refusalOf(() => negotiate(exchange, request({ headers: { accept } }), goOn));
    expect([code, details]).toEqual([
      'not_acceptable',
      [
        {
          path: 'Accept',
          message: `must allow one of application/geo+json, application/json, ${KML}, text/csv`,
        },
      ],
    ]);
    expect(exchange.headers).toEqual({ Vary: 'Accept' });
  });
});
