import { clients, sendRaw } from './client';
import { fleetOf, givenJob, jobNow } from './given';

describe('Bad input', () => {
  const [partner] = clients('bad-input');
  const { deviceGroupId } = fleetOf(partner);

  let headers: Record<string, string>;
  let jobId: string;
  let before: unknown;
  const written = async () => [
    await jobNow(partner, jobId),
    (await partner.call('GET /v3/jobs')).body.count,
    (await partner.call('GET /v3/shares')).body.count,
  ];

  beforeAll(async () => {
    headers = { authorization: `Bearer ${await partner.token()}`, 'content-type': 'application/json' };
    jobId = (await givenJob(partner)).jobId;
    before = await written();
  });
  // Nothing has been written.
  afterAll(async () => expect(await written()).toEqual(before));

  /**
   * Expects one of these statuses, with an error in JSON and a request id. What API Gateway refuses
   * before it matches a route, a body that is too large or an invalid path, has API Gateway's own format instead.
   */
  async function expectRefused(statuses: number[], method: string, path: string, body?: Buffer | string) {
    const answer = await sendRaw(method, path, headers, body === undefined ? undefined : Buffer.from(body));
    expect(statuses).toContain(answer.status);
    const content: unknown = JSON.parse(answer.text);
    if (answer.text === '{"message":"Bad Request"}' || answer.status === 413) return;
    expect(content).toMatchObject({ error: expect.stringMatching(/./) as string });
    expect(answer.requestId).toEqual(expect.any(String));
  }

  /** Inputs, each with a short title. */
  const titled = (inputs: readonly string[]) => inputs.map((input) => [input.slice(0, 60), input] as const);

  const bodies: [string, string | Buffer][] = [
    ['empty', ''],
    ['only whitespace', '  \n '],
    ['malformed JSON', '{"name":'],
    ['JSON with a trailing comma', '{"name":"x",}'],
    ['JSON with a comment', '{/* */}'],
    ['JSON behind a byte order mark', '\ufeff{"name":"x"}'],
    ['two JSON texts', '{}{}'],
    ['null', 'null'],
    ['a list', '[]'],
    ['a number', '7'],
    ['a string', '"name"'],
    ['invalid UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x7d])],
    ['a NUL', '\0'],
    ['a form', 'name=x&deviceGroupId=y'],
    ['XML', '<job/>'],
    ['100,000 nested lists', '['.repeat(100_000) + ']'.repeat(100_000)],
    ['100,000 nested objects', `${'{"metadata":'.repeat(100_000)}{}${'}'.repeat(100_000)}`],
    [
      '10,000 unknown fields',
      JSON.stringify(Object.fromEntries(Array.from({ length: 10_000 }, (_, i) => [`f${i}`, i]))),
    ],
    ['a name of 5 MB', JSON.stringify({ name: 'x'.repeat(5_000_000), deviceGroupId: 'x', resourceId: 'x' })],
    ['a field called __proto__', '{"__proto__":{"name":"x"}}'],
    ['a field called constructor', '{"constructor":{"name":"x"}}'],
  ];

  describe.each([
    ['POST', '/v3/jobs/create'],
    ['POST', '/v3/streams/share'],
    ['PATCH', '/v3/jobs/{jobId}'],
  ])('%s %s', (method, pattern) => {
    const path = () => pattern.replace('{jobId}', jobId);

    test.each(bodies)('answers 400 to a body that is %s', (_, body) => expectRefused([400], method, path(), body));

    test.each([7_000_000, 11_000_000])('answers 413 to a body of %d bytes', (size) =>
      expectRefused([413], method, path(), JSON.stringify({ name: 'x'.repeat(size), deviceGroupId })),
    );
  });

  /** Input in place of an identifier. */
  const oddIds = [
    '%',
    '%zz',
    '%00',
    '%2e%2e',
    '..',
    '.',
    '%2F',
    'a%2Fb',
    '%2e%2e%2f%2e%2e%2fetc%2fpasswd',
    '%F0%28%8C%28',
    '%E2%9C%88',
    '%0d%0aSet-Cookie:a=b',
    "'%20OR%20'1'='1",
    '{jobId}',
    '%7B%7D',
    '$context.requestId',
    'undefined',
    'null',
    '*',
    ';x=1',
    'job-',
    `job-${'0'.repeat(8)}-${'0'.repeat(26)}`,
    'x'.repeat(5000),
    '%ED%A0%80',
  ];

  describe('An invalid identifier', () => {
    test.each(titled(oddIds))('such as %s is answered with an error of the client, never with 500', async (_, id) => {
      const routes = [
        ['GET', `/v3/jobs/${id}`],
        ['PATCH', `/v3/jobs/${id}`],
        ['DELETE', `/v3/jobs/${id}`],
        ['POST', `/v3/jobs/${id}/cancel`],
        ['GET', `/v3/shares/${id}`],
        ['DELETE', `/v3/streams/share/${id}`],
        ['GET', `/v3/shares/${id}/resources`],
      ] as const;
      const body = (method: string) => (method === 'PATCH' ? '{"priority":3}' : undefined);
      await Promise.all(
        routes.map(([method, path]) => expectRefused([400, 403, 404, 405], method, path, body(method))),
      );
    });
  });

  const oddQueries = [
    'limit',
    'limit=%',
    'limit=%zz',
    'limit=%00',
    '%=1',
    'limit[]=1',
    'limit=1&limit=1',
    'nextToken=%ff',
    'a=b',
    `nextToken=${'x'.repeat(6000)}`,
    'status=%00',
    '__proto__=1',
    'constructor=1',
  ];

  describe('An invalid query', () => {
    test.each(titled(oddQueries))('such as ?%s is answered with 400', (_, query) =>
      expectRefused([400], 'GET', `/v3/jobs?${query}`),
    );

    test.each(['["jobs"]', '{}', 'null', '["jobs",""]', '["jobs",{"a":1}]', '[[],[]]'])(
      'with a page token forged from %s is answered with 400',
      async (content) => {
        const { organisationId } = partner.credentials;
        const made = content.replace('"jobs"', `"jobs ${organisationId.replace('org-', '')} "`);
        const token = Buffer.from(made).toString('base64url');
        await expectRefused([400], 'GET', `/v3/jobs?nextToken=${token}`);
      },
    );
  });
});

describe('Strict JSON', () => {
  const [partner] = clients('strict-json');
  const { deviceGroupId } = fleetOf(partner);

  let headers: Record<string, string>;
  beforeAll(async () => {
    headers = { authorization: `Bearer ${await partner.token()}`, 'content-type': 'application/json' };
  });

  /** Creates a job from text, whose last member is given, and returns the answer. */
  const create = (member: string | Buffer, more: Record<string, string> = {}) => {
    const begin = Buffer.from(`{"name":"Survey","deviceGroupId":"${deviceGroupId}",`);
    const body = Buffer.concat([begin, Buffer.from(member), Buffer.from('}')]);
    return sendRaw('POST', '/v3/jobs/create', { ...headers, ...more }, body);
  };
  const ago = (ms: number) => new Date(Date.now() - ms).toISOString();

  test.each<[string, string | Buffer, string]>([
    ['a member twice', '"scheduledAt":"2999-01-01T00:00:00Z","scheduledAt":"2999-01-01T00:00:00Z"', 'scheduledAt'],
    ['a member twice in metadata', '"metadata":{"a":{"b":1,"b":1}}', 'metadata.a.b'],
    ['an integer that would be rounded', '"metadata":{"id":1610521604143693812}', 'metadata.id'],
    ['a number that overflows', '"metadata":{"a":[1e400]}', 'metadata.a.0'],
    ['half a surrogate pair', '"metadata":{"a":"\\ud83d"}', 'metadata.a'],
    ['text in ISO-8859-1', Buffer.from('"description":"Z\u00fcrich"', 'latin1'), 'description'],
    ['100,000 levels', `"metadata":${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`, ''],
    ['a time in the year 1', '"scheduledAt":"0001-01-01T00:00:00Z"', 'scheduledAt'],
    ['a time of 1970', '"scheduledAt":"1970-01-01T00:00:00Z"', 'scheduledAt'],
    ['a time six minutes ago', `"scheduledAt":"${ago(360_000)}"`, 'scheduledAt'],
  ])('a job with %s is refused by path, and not created', async (_, member, path) => {
    const answer = await create(member);
    expect([answer.status, JSON.parse(answer.text)]).toMatchObject([400, { details: [{ path }] }]);
    expect((await partner.call('GET /v3/jobs')).body.count).toBe(0);
  });

  test('a body in another charset than UTF-8 is 415', async () => {
    const answer = await create('"priority":1', { 'content-type': 'application/json; charset=iso-8859-1' });
    expect([answer.status, JSON.parse(answer.text)]).toMatchObject([415, { details: [{ path: 'Content-Type' }] }]);
    expect((await partner.call('GET /v3/jobs')).body.count).toBe(0);
  });

  test('what is unusual but clear is accepted', async () => {
    const member = `"scheduledAt":"${ago(240_000)}","metadata":{"a":0.12345678901234567890123,"b":"\\ud83d\\ude81"}`;
    expect(await create(member, { 'content-type': 'application/json; charset="utf-8"; version=3' })).toMatchObject({
      status: 201,
    });
  });
});
