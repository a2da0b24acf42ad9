import type { AwsCall } from '../../service';
import { apiId, startApi, type SmallApi } from './rest-api-fixture';

const echo =
  'exports.handler = async (event) => ({ statusCode: 200, body: JSON.stringify(event.requestContext.authorizer) })';

/** Decides by the token and counts its invocations. */
const authorize = `let asked = 0;
  exports.handler = async (event) => {
    asked += 1;
    const token = event.authorizationToken ?? event.headers.Token;
    console.log(JSON.stringify({ token, methodArn: event.methodArn, type: event.type }));
    if (token === 'Bearer nobody') throw new Error('Unauthorized');
    if (token === 'Bearer broken') throw new Error('database is down');
    if (token === 'Bearer odd') return { principalId: 'me' };
    if (token === 'Bearer nested') return policy('Allow', '*', { list: [1] });
    if (token === 'Bearer denied') return policy('Deny', '*');
    if (token === 'Bearer suspended') return policy('Deny', '*', { reason: 'suspended' });
    if (token === 'Bearer remover') return policy('Allow', 'arn:aws:execute-api:*:*:*/live/DELETE/*', { reason: 'lacks it' });
    if (token === 'Bearer reader') return policy('Allow', event.methodArn.replace(/live.*/, 'live/GET/*'), { asked });
    return policy('Allow', '*', { asked, admin: true, name: 'Ann', nothing: null });
  };
  const policy = (Effect, Resource, context) => ({ principalId: 'me', context, policyDocument: {
    Version: '2012-10-17', Statement: [{ Effect, Resource, Action: 'execute-api:Invoke' }] } });`;

const methods = {
  'GET /jobs': { function: 'echo', authorised: true },
  'POST /jobs': { function: 'echo', authorised: true },
};
const token = { type: 'token' };

let api: SmallApi | undefined;

afterEach(async () => {
  await api?.stop();
  api = undefined;
});

async function start(authorizer: object, gatewayResponses: object = {}) {
  const started = await startApi({ functions: { echo, authorize }, methods, authorizer, gatewayResponses });
  api = started;
  return async (authorization?: string, method = 'GET') => {
    const response = await started.fetch('/jobs', {
      method,
      headers: authorization === undefined ? {} : { authorization },
    });
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  };
}

/** Developer guide, "Variables for data models, authorizers, mapping templates, and CloudWatch access logging". */
describe('A gateway response for ACCESS_DENIED', () => {
  test.each([
    ['Bearer suspended', 'suspended'],
    ['Bearer remover', 'lacks it'],
    ['Bearer denied', ''],
  ])('repeats to %s what the context of the policy says, or nothing', async (authorization, reason) => {
    const template = '{"reason":"$context.authorizer.reason"}';
    const call = await start(token, {
      ACCESS_DENIED: { statusCode: '403', responseTemplates: { 'application/json': template } },
    });
    expect(await call(authorization)).toEqual({ status: 403, body: { reason } });
    // The second time from the cache.
    expect(await call(authorization)).toEqual({ status: 403, body: { reason } });
  });
});

describe('TOKEN authorizer', () => {
  test('allows a request and passes on principal and context as strings', async () => {
    const call = await start(token);
    expect(await call('Bearer admin')).toEqual({
      status: 200,
      body: {
        principalId: 'me',
        asked: '1',
        admin: 'true',
        name: 'Ann',
        integrationLatency: expect.any(Number) as number,
      },
    });
  });

  test('receives the ARN of the method', async () => {
    const call = await start(token);
    await call('Bearer admin', 'POST');
    expect(api?.printed()).toMatch(
      /"methodArn":"arn:aws:execute-api:eu-central-1:123456789012:\w{10}\/live\/POST\/jobs","type":"TOKEN"/,
    );
  });

  test('is invoked once per token until the result expires, also after the clock is set back', async () => {
    const call = await start({ ...token, authorizerResultTtlInSeconds: 300 });
    await call('Bearer admin');
    const second = await call('Bearer admin', 'POST');
    const other = await call('Bearer other');
    expect([second.body['asked'], other.body['asked']]).toEqual(['1', '2']);
    const now = Date.now();
    const clock = jest.spyOn(Date, 'now').mockImplementation(() => now + 301_000);
    const later = await call('Bearer admin');
    clock.mockImplementation(() => now - 3_600_000);
    const setBack = await call('Bearer admin');
    clock.mockRestore();
    expect([later.body['asked'], setBack.body['asked']]).toEqual(['3', '4']);
  });

  describe('after FlushStageAuthorizersCache', () => {
    const flush = async (path: string) =>
      api?.gateway.answer({ method: 'DELETE', path, headers: {}, body: Buffer.alloc(0) } as unknown as AwsCall);

    test('is invoked again for each token, once', async () => {
      const call = await start(token);
      await call('Bearer admin');
      await call('Bearer other');
      expect(await flush(`/restapis/${apiId}/stages/live/cache/authorizers`)).toMatchObject({ status: 202, body: '' });
      const asked = [await call('Bearer admin'), await call('Bearer other'), await call('Bearer admin')];
      expect(asked.map(({ body }) => body['asked'])).toEqual(['3', '4', '3']);
    });

    test.each([`/restapis/${apiId}/stages/other`, '/restapis/other/stages/live'])(
      'of a stage that does not exist (%s) is not',
      async (stage) => {
        const call = await start(token);
        await call('Bearer admin');
        expect(await flush(`${stage}/cache/authorizers`)).toMatchObject({ status: 404 });
        expect((await call('Bearer admin')).body['asked']).toBe('1');
      },
    );
  });

  test('is invoked for every request with a TTL of 0', async () => {
    const call = await start({ ...token, authorizerResultTtlInSeconds: 0 });
    await call('Bearer admin');
    expect((await call('Bearer admin')).body['asked']).toBe('2');
  });

  test('evaluates the cached policy for each method', async () => {
    const call = await start(token);
    expect((await call('Bearer reader')).status).toBe(200);
    expect(await call('Bearer reader', 'POST')).toEqual({
      status: 403,
      body: { message: 'User is not authorized to access this resource' },
    });
    expect((await call('Bearer reader')).body['asked']).toBe('1');
  });

  test.each([undefined, 'Basic abc', ''])('is not invoked for the invalid token %p', async (authorization) => {
    const call = await start({ ...token, identityValidationExpression: '^Bearer .+$' });
    await call('Bearer admin');
    expect(await call(authorization)).toEqual({ status: 401, body: { message: 'Unauthorized' } });
    expect(api?.printed().split('\n')).toHaveLength(2);
  });

  test.each([
    ['nobody', 401, 'Unauthorized'],
    ['denied', 403, 'User is not authorized to access this resource with an explicit deny'],
    ['broken', 500, null],
    ['odd', 500, null],
    ['nested', 500, null],
  ])('answers the token %p with %i', async (name, status, message) => {
    const call = await start(token);
    expect(await call(`Bearer ${name}`)).toEqual({ status, body: { message } });
  });

  test('answers 500 without permission to invoke it, and logs the reason', async () => {
    const call = await start({
      ...token,
      authorizerUri:
        'arn:aws:apigateway:x:lambda:path/2015-03-31/functions/arn:aws:lambda:x:1:function:echo/invocations',
    });
    expect(await call('Bearer admin')).toEqual({ status: 500, body: { message: null } });
    expect(api?.log.join()).toContain('Invalid permissions on Lambda function');
  });
});

describe('The permission to invoke an authorizer', () => {
  test.each([
    ['*', 200],
    ['live/*', 500],
  ])('is not that of methods: %s gives %i', async (permitted, status) => {
    api = await startApi({ functions: { echo, authorize }, methods, authorizer: token, permitted });
    expect((await api.fetch('/jobs', { headers: { authorization: 'Bearer admin' } })).status).toBe(status);
  });
});

describe('REQUEST authorizer', () => {
  const request = { type: 'request', identitySource: 'method.request.header.Token, method.request.querystring.tenant' };

  test('receives the request, and its result is cached by all identity sources', async () => {
    await start(request);
    const ask = async (tenant: string) => {
      const response = await api?.fetch(`/jobs?tenant=${tenant}`, { headers: { token: 'abc' } });
      return ((await response?.json()) as Record<string, unknown>)['asked'];
    };
    expect([await ask('a'), await ask('a'), await ask('b')]).toEqual(['1', '1', '2']);
    expect(api?.printed()).toContain('"type":"REQUEST"');
  });

  test('is not invoked when an identity source is missing', async () => {
    await start(request);
    expect((await api?.fetch('/jobs', { headers: { token: 'abc' } }))?.status).toBe(401);
  });
});

test('an unsupported identity source stops the start', async () => {
  await expect(start({ type: 'request', identitySource: 'method.request.body' })).rejects.toThrow(
    'method.request.body',
  );
});
