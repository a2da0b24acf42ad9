import { apiId, keyValue, startApi, type ApiSpec, type SmallApi } from './small-api';

const functions = {
  key: 'exports.handler = async (event) => ({ statusCode: 200, body: JSON.stringify(event.requestContext.identity) })',
};
const methods = { 'POST /token': { function: 'key', apiKey: true }, 'GET /free': { function: 'key' } };

let api: SmallApi | undefined;

afterEach(async () => {
  await api?.stop();
  api = undefined;
});

async function start(spec: Partial<ApiSpec> = {}) {
  const started = await startApi({ functions, methods, ...spec });
  api = started;
  return (key?: string) =>
    started.fetch('/token', { method: 'POST', headers: key === undefined ? {} : { 'x-api-key': key } });
}

describe('a method that requires an API key', () => {
  it('is told which one came', async () => {
    const call = await start();
    expect(await (await call(keyValue)).json()).toMatchObject({
      apiKey: keyValue,
      apiKeyId: expect.any(String) as string,
    });
  });

  it.each([undefined, '', 'wrong'])('is forbidden with %p', async (key) => {
    const call = await start();
    const response = await call(key);
    expect(response.status).toBe(403);
    expect(await response.json()).toEqual({ message: 'Forbidden' });
  });

  it('is forbidden with a key of a plan for another stage', async () => {
    const call = await start({ usagePlan: { ApiStages: [{ ApiId: 'other', Stage: 'live' }] } });
    expect((await call(keyValue)).status).toBe(403);
  });
});

describe('a throttle', () => {
  // So slow that no token comes back while the test runs.
  const slow = { RateLimit: 0.001, BurstLimit: 2 };
  const statuses = async (calls: readonly Promise<Response>[]) =>
    (await Promise.all(calls)).map(({ status }) => status).sort();

  it('of the usage plan refuses what goes beyond the burst', async () => {
    const call = await start({ usagePlan: { Throttle: slow } });
    expect(await statuses([call(keyValue), call(keyValue), call(keyValue)])).toEqual([200, 200, 429]);
    const refused = await call(keyValue);
    expect(await refused.json()).toEqual({ message: 'Too Many Requests' });
    expect((await call('wrong')).status).toBe(403);
  });

  it('of the usage plan fills again', async () => {
    const call = await start({ usagePlan: { Throttle: { RateLimit: 20, BurstLimit: 1 } } });
    expect(await statuses([call(keyValue), call(keyValue)])).toEqual([200, 429]);
    await new Promise((done) => setTimeout(done, 100));
    expect((await call(keyValue)).status).toBe(200);
  });

  it('of a method in the usage plan goes before that of the plan', async () => {
    const ApiStages = [{ ApiId: apiId, Stage: 'live', Throttle: { '/token/POST': slow } }];
    const call = await start({ usagePlan: { ApiStages, Throttle: { RateLimit: 1000, BurstLimit: 1000 } } });
    expect(await statuses([call(keyValue), call(keyValue), call(keyValue)])).toEqual([200, 200, 429]);
  });

  it('of the stage holds for every method that has none of its own, each by itself', async () => {
    const call = await start({
      stage: {
        MethodSettings: [
          { HttpMethod: '*', ResourcePath: '/*', ThrottlingRateLimit: 0.001, ThrottlingBurstLimit: 1 },
          { HttpMethod: 'GET', ResourcePath: '/~1free', ThrottlingRateLimit: 1000, ThrottlingBurstLimit: 1000 },
        ],
      },
    });
    const free = () => api?.fetch('/free') as Promise<Response>;
    expect(await statuses([call(keyValue), call(keyValue)])).toEqual([200, 429]);
    expect(await statuses([free(), free()])).toEqual([200, 200]);
  });

  it('of the stage holds for its method and nothing else', async () => {
    const call = await start({
      stage: {
        MethodSettings: [
          { HttpMethod: 'GET', ResourcePath: '/~1free', ThrottlingRateLimit: 0.001, ThrottlingBurstLimit: 1 },
        ],
      },
    });
    const free = () => api?.fetch('/free') as Promise<Response>;
    expect(await statuses([free(), free()])).toEqual([200, 429]);
    expect(await statuses([call(keyValue), call(keyValue)])).toEqual([200, 200]);
  });
});
