import { endpointTable, splitEndpointKey } from '../../contract/endpoint-table';
import { permits, scopeNames } from '../../contract/terms/scopes';
import type { EndpointKey } from '../../contract/endpoints';
import { clients, pathOf, send, type Client } from './client';
import { forbiddenAt } from './given';

const [partner, publisher = partner] = clients('paths');
const keys = Object.keys(endpointTable) as EndpointKey[];

/** Other ways to write the path of an endpoint. */
const spellings: [how: string, write: (path: string) => string][] = [
  ['a slash at its end', (path) => `${path}/`],
  [
    'a percent-encoded letter',
    (path) => path.replace(/(?<=^\/v3\/)./, (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`),
  ],
];
const asItIs: (typeof spellings)[number] = ['nothing unusual', (path) => path];

/** Calls an endpoint without what it needs beside credentials, so that nothing is written. */
async function ask(client: Client, key: EndpointKey, write: (path: string) => string) {
  const { method } = splitEndpointKey(key);
  const headers: Record<string, string> =
    endpointTable[key].scope === null
      ? { 'x-api-key': client.credentials.apiKey }
      : { authorization: `Bearer ${await client.token()}` };
  const { status, body } = await send(method, write(pathOf(key)), {
    headers,
    ...(['POST', 'PATCH'].includes(method) && { body: {} }),
  });
  return { status, body: body as { error?: string } };
}

/** Endpoints that the publisher of telemetry may not call: all but those without a scope, or for which any will do. */
const closed = keys.filter((key) => {
  const endpoint = endpointTable[key];
  return endpoint.scope !== null && !permits(endpoint, ['stream:publish']);
});

describe.each(keys)('%s', (key) => {
  test.each(spellings)('answers as usual when its path has %s', async (_, write) => {
    const usual = await ask(partner, key, asItIs[1]);
    const answer = await ask(partner, key, write);
    expect(usual.status).not.toBe(403);
    expect({ status: answer.status, error: answer.body.error }).toEqual({
      status: usual.status,
      error: usual.body.error,
    });
  });
});

describe.each(closed)('%s', (key) => {
  const refusal = forbiddenAt('Authorization', `needs scope ${scopeNames(endpointTable[key])}`);
  test.each(spellings)('names its scope to a client without it when its path has %s', async (_, write) => {
    expect(await ask(publisher, key, write)).toEqual({ status: 403, body: refusal });
  });
});

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
