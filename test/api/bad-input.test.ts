import { clients, sendRaw } from './client';
import { fleetOf, givenJob, jobNow } from './given';

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
  ['10,000 unknown fields', JSON.stringify(Object.fromEntries(Array.from({ length: 10_000 }, (_, i) => [`f${i}`, i])))],
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
    await Promise.all(routes.map(([method, path]) => expectRefused([400, 403, 404, 405], method, path, body(method))));
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
