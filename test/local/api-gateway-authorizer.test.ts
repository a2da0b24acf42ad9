import { startApi, type SmallApi } from './small-api';

const echo =
  'exports.handler = async (event) => ({ statusCode: 200, body: JSON.stringify(event.requestContext.authorizer) })';

/** Decides by the token, and counts how often it was asked. */
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
    if (token === 'Bearer reader') return policy('Allow', event.methodArn.replace(/live.*/, 'live/GET/*'), { asked });
    return policy('Allow', '*', { asked, admin: true, name: 'Ann', nothing: null });
  };
  const policy = (Effect, Resource, context) => ({ principalId: 'me', context, policyDocument: {
    Version: '2012-10-17', Statement: [{ Effect, Resource, Action: 'execute-api:Invoke' }] } });`;

const methods = {
  'GET /jobs': { function: 'echo', authorised: true },
  'POST /jobs': { function: 'echo', authorised: true },
};
const token = { Type: 'TOKEN', IdentitySource: 'method.request.header.Authorization' };

let api: SmallApi | undefined;

afterEach(async () => {
  await api?.stop();
  api = undefined;
});

async function start(authorizer: object) {
  const started = await startApi({ functions: { echo, authorize }, methods, authorizer });
  api = started;
  return async (authorization?: string, method = 'GET') => {
    const response = await started.fetch('/jobs', {
      method,
      headers: authorization === undefined ? {} : { authorization },
    });
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  };
}

describe('a token authorizer', () => {
  it('lets a request through with its principal and its context as strings', async () => {
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

  it('is told the ARN of the method', async () => {
    const call = await start(token);
    await call('Bearer admin', 'POST');
    expect(api?.printed()).toMatch(
      /"methodArn":"arn:aws:execute-api:eu-central-1:123456789012:\w{10}\/live\/POST\/jobs","type":"TOKEN"/,
    );
  });

  it('is asked once for a token as long as its answer is kept', async () => {
    const call = await start({ ...token, AuthorizerResultTtlInSeconds: 300 });
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

  it('is asked every time when nothing is kept', async () => {
    const call = await start({ ...token, AuthorizerResultTtlInSeconds: 0 });
    await call('Bearer admin');
    expect((await call('Bearer admin')).body['asked']).toBe('2');
  });

  it('has its kept policy evaluated for each method', async () => {
    const call = await start(token);
    expect((await call('Bearer reader')).status).toBe(200);
    expect(await call('Bearer reader', 'POST')).toEqual({
      status: 403,
      body: { message: 'User is not authorized to access this resource' },
    });
    expect((await call('Bearer reader')).body['asked']).toBe('1');
  });

  it.each([undefined, 'Basic abc', ''])('is not asked about %p, which is no token', async (authorization) => {
    const call = await start({ ...token, IdentityValidationExpression: '^Bearer .+$' });
    await call('Bearer admin');
    expect(await call(authorization)).toEqual({ status: 401, body: { message: 'Unauthorized' } });
    expect(api?.printed().split('\n')).toHaveLength(2);
  });

  it.each([
    ['nobody', 401, 'Unauthorized'],
    ['denied', 403, 'User is not authorized to access this resource with an explicit deny'],
    ['broken', 500, null],
    ['odd', 500, null],
    ['nested', 500, null],
  ])('refuses the token %p with %i', async (name, status, message) => {
    const call = await start(token);
    expect(await call(`Bearer ${name}`)).toEqual({ status, body: { message } });
  });

  it('that may not be called fails and says why in the log', async () => {
    const call = await start({
      ...token,
      AuthorizerUri:
        'arn:aws:apigateway:x:lambda:path/2015-03-31/functions/arn:aws:lambda:x:1:function:echo/invocations',
    });
    expect(await call('Bearer admin')).toEqual({ status: 500, body: { message: null } });
    expect(api?.log.join()).toContain('Invalid permissions on Lambda function');
  });
});

describe('a request authorizer', () => {
  const request = { Type: 'REQUEST', IdentitySource: 'method.request.header.Token, method.request.querystring.tenant' };

  it('gets the request, and its answer is kept for all its identity sources together', async () => {
    await start(request);
    const ask = async (tenant: string) => {
      const response = await api?.fetch(`/jobs?tenant=${tenant}`, { headers: { token: 'abc' } });
      return ((await response?.json()) as Record<string, unknown>)['asked'];
    };
    expect([await ask('a'), await ask('a'), await ask('b')]).toEqual(['1', '1', '2']);
    expect(api?.printed()).toContain('"type":"REQUEST"');
  });

  it('is not asked when an identity source is missing', async () => {
    await start(request);
    expect((await api?.fetch('/jobs', { headers: { token: 'abc' } }))?.status).toBe(401);
  });
});

it('stops the stack when its identity source is not understood', async () => {
  await expect(start({ Type: 'REQUEST', IdentitySource: 'method.request.body' })).rejects.toThrow(
    'method.request.body',
  );
});
