import { endpointTable, routeOf } from '../../contract/access';
import { permits, scopeNames } from '../../contract/endpoint';
import type { EndpointKey } from '../../contract/endpoints';
import { requestExamples } from '../contract/documents/openapi-file';
import { givenFlyingDevice, removeDevice } from '../channels/flying-device';
import { clients, pathOf, send, type Client } from './client';
import { expire } from './expire';
import { forgeries } from './forgeries';
import { fleetOf, forbiddenAt, foreignAt, givenCommand, givenJob, givenMission, givenShare, nobodys } from './given';

const [stranger] = clients('stranger');
const [partner, ...oneScopeEach] = clients('access');
const keys = Object.keys(endpointTable) as EndpointKey[];
const guarded = keys.filter((key) => endpointTable[key].scope !== null);
const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

/** @param cause why the token is not accepted; undefined without a token */
const unauthorized = async (key: string, headers: Record<string, string>, cause?: string) => {
  const { status, body, headers: answered } = await send(routeOf(key).method, pathOf(key), { headers });
  const details = cause === undefined ? {} : { details: [{ path: 'Authorization', message: cause }] };
  expect([status, body]).toEqual([401, { error: 'Unauthorized', ...details }]);
  expect(answered.get('www-authenticate')).toBe(cause === undefined ? 'Bearer' : 'Bearer error="invalid_token"');
};

describe.each(guarded)('%s', (key) => {
  test('answers 401 without a token', () => unauthorized(key, {}));

  test('answers 401 to an invalid token', () =>
    unauthorized(key, { authorization: 'Bearer nonsense' }, 'the token is malformed'));

  test('answers 401 to a forged token', async () => {
    const { signedByAnother } = await forgeries(await partner.token());
    await unauthorized(key, { authorization: `Bearer ${signedByAnother}` }, 'the token is not valid');
  });

  test('answers only clients with a scope of it, and names it to others', async () => {
    const endpoint = endpointTable[key];
    const refusal = forbiddenAt('Authorization', `needs scope ${scopeNames(endpoint)}`);
    const asked = oneScopeEach.map(async (client) => {
      const { status, body } = await client.call(key);
      if (status === 403) expect(body).toEqual(refusal);
      return status === 403 ? [] : client.credentials.scopes;
    });
    const held = oneScopeEach.flatMap(({ credentials }) => credentials.scopes);
    expect((await Promise.all(asked)).flat()).toEqual(held.filter((scope) => permits(endpoint, [scope])));
  });
});

/** What an identifier in a path names: how there is one, what it is now, and how it ends. */
const resources = {
  jobId: {
    error: 'Job not found',
    given: async () => (await givenJob(partner)).jobId,
    now: (jobId: string) => partner.call('GET /v3/jobs/{jobId}', { path: { jobId } }),
    end: (jobId: string) => partner.call('DELETE /v3/jobs/{jobId}', { path: { jobId } }),
  },
  missionId: {
    error: 'Mission not found',
    given: async () => (await givenMission(partner)).missionId,
    now: (missionId: string) => partner.call('GET /v3/missions/{missionId}', { path: { missionId } }),
    end: (missionId: string) => partner.call('DELETE /v3/missions/{missionId}', { path: { missionId } }),
  },
  shareCode: {
    error: 'Share not found',
    given: async () => (await givenShare(partner)).shareCode,
    now: (shareCode: string) => partner.call('GET /v3/shares/{shareCode}', { path: { shareCode } }),
    end: expire,
  },
  deviceId: {
    error: 'Resource not found',
    given: () => givenFlyingDevice(fleetOf(partner).deviceGroupId),
    now: (deviceId: string) => partner.call('GET /v3/devices/{deviceId}/capabilities', { path: { deviceId } }),
    end: removeDevice,
    // Its commands outlive it, so the identifier alone tells whose it is.
    toOthers: { status: 403, body: foreignAt('deviceId') },
  },
};
// A command is found by its device, which comes first.
const identified = keys.flatMap((key) => {
  const names = [...key.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
  return names.length === 1 ? [{ key, name: names[0] }] : [];
});

describe.each(identified)('$key', ({ key, name }) => {
  const { error, given, now, end, ...resource } = resources[name as keyof typeof resources];
  const [method, path] = key.split(' ');
  const { example, mediaType } = requestExamples.find((one) => one.method === method && one.path === path) ?? {};
  const headers = { ...(mediaType !== undefined && { 'content-type': mediaType }) };
  const askedBy = (client: Client, id: string) =>
    client.call(key, {
      path: { jobId: id, missionId: id, shareCode: id, deviceId: id, commandId: id },
      headers,
      ...(example && { body: example.value }),
    });
  const notFound = { status: 404, body: { error } };
  const toOthers = 'toOthers' in resource ? resource.toOthers : notFound;

  test('answers 404 for what is not there, to any organisation', async () => {
    const id = await given();
    const { deviceGroupId } = fleetOf(partner);
    const others = [id.toUpperCase(), deviceGroupId, id.replace(/^[a-z]+/, 'group'), `${id}x`];
    for (const unknown of ['none', nobodys(id), ...others])
      expect(await askedBy(partner, unknown)).toMatchObject(notFound);
    expect(await askedBy(stranger, nobodys(id))).toMatchObject(toOthers);
  });

  test('answers 404 for what has ended, to any organisation', async () => {
    const id = await given();
    await end(id);
    expect(await askedBy(partner, id)).toMatchObject(notFound);
    expect(await askedBy(stranger, id)).toMatchObject(toOthers);
  });

  test("answers 403 for another organisation's, which does not change", async () => {
    const id = await given();
    const before = await now(id);
    expect(before.status).toBe(200);
    expect(await askedBy(stranger, id)).toMatchObject({ status: 403, body: foreignAt(name ?? '') });
    expect((await now(id)).body).toEqual(before.body);
  });
});

describe('GET /v3/devices/{deviceId}/commands/{commandId}', () => {
  const key = 'GET /v3/devices/{deviceId}/commands/{commandId}';

  test('answers 404 for a command that its device has not', async () => {
    const { deviceId, commandId } = await givenCommand(partner);
    const { deviceId: other } = await givenCommand(partner);
    const notFound = { status: 404, body: { error: 'Command not found' } };
    for (const unknown of ['none', 'head', nobodys(commandId), commandId.toUpperCase(), `${commandId}x`])
      expect(await partner.call(key, { path: { deviceId, commandId: unknown } })).toMatchObject(notFound);
    expect(await partner.call(key, { path: { deviceId: other, commandId } })).toMatchObject(notFound);
  });

  test("answers 404 for what is no device, and 403 for another organisation's", async () => {
    const { deviceId, commandId } = await givenCommand(partner);
    expect(await partner.call(key, { path: { deviceId: 'none', commandId } })).toMatchObject({
      status: 404,
      body: { error: 'Resource not found' },
    });
    expect(await stranger.call(key, { path: { deviceId, commandId } })).toMatchObject({
      status: 403,
      body: foreignAt('deviceId'),
    });
  });
});

describe('A bearer token', () => {
  test.each(['signedByAnother', 'unsigned', 'signedByText', 'cut', 'withoutSignature', 'withMoreScopes'] as const)(
    'that is %s is refused with 401',
    async (kind) => {
      const forged = (await forgeries(await partner.token()))[kind];
      const isMalformed = kind === 'unsigned' || kind === 'withoutSignature';
      const cause = isMalformed ? 'the token is malformed' : 'the token is not valid';
      await unauthorized('GET /v3/jobs', { authorization: `Bearer ${forged}` }, cause);
    },
  );

  test.each(['', 'Bearer', 'Bearer ', 'Basic YTpi', 'token', 'Bearer a b', 'Bearer ü'])(
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
