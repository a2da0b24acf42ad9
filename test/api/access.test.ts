import { endpointTable, routeOf } from '../../contract/access';
import { scopes as allScopes, scopesOf } from '../../contract/endpoint';
import type { EndpointKey } from '../../contract/endpoints';
import { clients, pathOf, send } from './client';
import { forgeries } from './forgeries';
import { forbiddenAt } from './given';

const [partner, ...oneScopeEach] = clients('access');
const keys = Object.keys(endpointTable) as EndpointKey[];
const guarded = keys.filter((key) => endpointTable[key].scope !== null);
const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

const unauthorized = async (key: string, headers: Record<string, string>) => {
  const answer = await send(routeOf(key).method, pathOf(key), { headers });
  expect(answer).toMatchObject({ status: 401, body: { error: 'Unauthorized' } });
  expect(answer.headers.get('www-authenticate')).toBe('Bearer');
};

/** What API Gateway answers to a token with these scopes: it knows the token's policy, not the method's scope. */
const lacking = (held: readonly string[]) => {
  // Any scope will do for some endpoints; the others need one each.
  const narrow = guarded.map((key) => scopesOf(endpointTable[key])).filter(({ length }) => length < allScopes.length);
  const scopes = [...new Set(narrow.flat())];
  return `needs a scope that the token lacks; it lacks ${scopes.filter((scope) => !held.includes(scope)).join(', ')}`;
};

describe.each(guarded)('%s', (key) => {
  test('answers 401 without a token', () => unauthorized(key, {}));

  test('answers 401 to an invalid token', () => unauthorized(key, { authorization: 'Bearer nonsense' }));

  test('answers 401 to a forged token', async () => {
    const { signedByAnother } = await forgeries(await partner.token());
    await unauthorized(key, { authorization: `Bearer ${signedByAnother}` });
  });

  test('answers only clients with a scope of it', async () => {
    const asked = oneScopeEach.map(async (client) => {
      const { status, body } = await client.call(key);
      if (status === 403) expect(body).toEqual(forbiddenAt('Authorization', lacking(client.credentials.scopes)));
      return status === 403 ? [] : client.credentials.scopes;
    });
    expect((await Promise.all(asked)).flat()).toEqual(scopesOf(endpointTable[key]));
  });
});

describe('A bearer token', () => {
  test.each(['signedByAnother', 'unsigned', 'signedByText', 'cut', 'withoutSignature', 'withMoreScopes'] as const)(
    'that is %s is refused with 401',
    async (kind) => {
      const forged = (await forgeries(await partner.token()))[kind];
      await unauthorized('GET /v3/jobs', { authorization: `Bearer ${forged}` });
    },
  );

  test.each(['', 'Bearer', 'Bearer ', 'Basic YTpi', 'token', `Bearer ${'a'.repeat(50)}`, 'Bearer a b', 'Bearer ü'])(
    'is missing in the header "%s": 401',
    (authorization) => unauthorized('GET /v3/jobs', { authorization }),
  );

  test('is refused without its scheme', async () => {
    await unauthorized('GET /v3/jobs', { authorization: await partner.token() });
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

  const paths = [...new Set(keys.map((key) => routeOf(key).path))];
  const allowed = (path: string) => keys.map(routeOf).filter((route) => route.path === path);
  test.each(paths)('such as %s answers 405 with Allow to every other method', async (path) => {
    const has = allowed(path).map(({ method }) => method);
    for (const method of methods.filter((each) => !has.includes(each))) {
      const answer = await send(method, pathOf(`${method} ${path}`));
      expect({ method, status: answer.status }).toEqual({ method, status: 405 });
      expect(answer.headers.get('allow')?.split(', ').sort()).toEqual([...has].sort());
      if (method !== 'HEAD') expect(answer.body).toEqual({ error: 'Method not allowed' });
    }
  });
});

describe('A request id', () => {
  test('is different for every request', async () => {
    const answers = await Promise.all(Array.from({ length: 5 }, () => partner.call('GET /v3/jobs')));
    expect(new Set(answers.map(({ headers }) => headers.get('x-request-id'))).size).toBe(5);
  });
});
