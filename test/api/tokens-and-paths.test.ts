import { endpointTable, splitEndpointKey } from '../../contract/endpoint-table';
import type { EndpointKey } from '../../contract/endpoints';
import { clients, pathOf, send } from './client';

const [partner] = clients('access');
const keys = Object.keys(endpointTable) as EndpointKey[];
const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

const expectUnauthorized = async (authorization: string) => {
  const { status, body, headers } = await send('GET', '/v3/jobs', { headers: { authorization } });
  expect([status, body]).toEqual([401, { error: 'Unauthorized' }]);
  expect(headers.get('www-authenticate')).toBe('Bearer');
};

describe('A bearer token', () => {
  test.each(['', 'Bearer', 'Bearer ', 'Basic YTpi', 'token', 'Bearer a b', 'Bearer ü'])(
    'is missing in the header "%s": 401',
    expectUnauthorized,
  );

  test('is refused without its scheme', async () => {
    await expectUnauthorized(await partner.token());
  });

  test('is accepted with the scheme in lower case', async () => {
    const answer = await send('GET', '/v3/jobs', { headers: { authorization: `bearer ${await partner.token()}` } });
    expect(answer.status).toBe(200);
  });
});

test('the bare address redirects to the docs site, and accepts no other method', async () => {
  const { status, headers } = await send('GET', '/');
  expect({ status, location: headers.get('location') }).toEqual({
    status: 302,
    location: expect.stringMatching(/\/docs\/$/) as string,
  });
  expect(await send('POST', '/', { body: {} })).toMatchObject({ status: 404, body: { error: 'Not found' } });
});

describe('A path', () => {
  test.each(['/v3', '/v3/', '/v3/nothing', '/v2/jobs', '/v3/jobs/a/b', '/v3/shares/a/b', '/v3/streams', '/V3/jobs'])(
    'that is unknown, such as %s, answers 404 with a token and without',
    async (path) => {
      const authorization = `Bearer ${await partner.token()}`;
      const notFound = { status: 404, body: { error: 'Not found' } };
      expect(await send('GET', path, { headers: { authorization } })).toMatchObject(notFound);
      expect(await send('GET', path)).toMatchObject(notFound);
      expect(await send('POST', path, { body: {} })).toMatchObject(notFound);
    },
  );

  const paths = [...new Set(keys.map((key) => splitEndpointKey(key).path))];
  const allowed = (path: string) => keys.map(splitEndpointKey).filter((route) => route.path === path);
  test.each(paths)('such as %s answers 405 with Allow to every other method', async (path) => {
    const has = allowed(path).map(({ method }) => method);
    for (const method of methods.filter((each) => !has.includes(each))) {
      const answer = await send(method, pathOf(`${method} ${path}`));
      expect({ method, status: answer.status }).toEqual({ method, status: 405 });
      expect(answer.headers.get('allow')?.split(', ').sort()).toEqual([...has].sort());
      if (method !== 'HEAD') expect(answer.body).toMatchObject({ error: 'Method not allowed' });
    }
  });
});

test('a POST to the list of jobs is told where jobs are created', async () => {
  expect(await send('POST', '/v3/jobs', { body: {} })).toMatchObject({
    status: 405,
    body: { error: 'Method not allowed', details: [{ path: '', message: 'create by POST /v3/jobs/create' }] },
  });
});

describe('A request id', () => {
  test('is different for every request', async () => {
    const answers = await Promise.all(Array.from({ length: 5 }, () => partner.call('GET /v3/jobs')));
    expect(new Set(answers.map(({ headers }) => headers.get('x-request-id'))).size).toBe(5);
  });
});
