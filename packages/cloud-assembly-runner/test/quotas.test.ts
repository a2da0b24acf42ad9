import { createQuotas, noQuotas, type RateName } from '../quotas';
import { TooManyRequests } from '../lambda';
import { createAsyncInvoker } from '../lambda/async-invoker';
import { startFunctions } from './lambda/inline-functions';
import { startApi } from './api-gateway/rest-api-fixture';
import { limitedQuotas } from './limited-quotas';

const waiting =
  'exports.handler = async () => new Promise((done) => setTimeout(() => done({ statusCode: 200 }), 1000));';

afterEach(() => jest.useRealTimers());

describe('The quotas of an account', () => {
  test('admit the burst at once, per key, and refill at their rate', () => {
    jest.useFakeTimers();
    const quotas = createQuotas('default');
    const admitted = (name: RateName, key?: string) => {
      let count = 0;
      while (count < 50_000 && quotas.admits(name, key)) count += 1;
      return count;
    };
    expect(['a', 'a', 'b'].map((key) => admitted('iotConnectsOfClient', key))).toEqual([1, 0, 1]);
    expect([admitted('cognitoClientTokens'), admitted('apiGatewayRequests')]).toEqual([150, 5000]);
    jest.advanceTimersByTime(500);
    expect([admitted('iotConnectsOfClient', 'a'), admitted('cognitoClientTokens')]).toEqual([0, 75]);
    jest.advanceTimersByTime(500);
    expect([admitted('iotConnectsOfClient', 'a'), admitted('apiGatewayRequests')]).toEqual([1, 5000]);
  });

  test('allow ten concurrent executions in a new account, and a thousand by default', () => {
    expect(createQuotas('new-account').concurrentExecutions).toBe(10);
    expect(createQuotas('default').concurrentExecutions).toBe(1000);
    expect(noQuotas.concurrentExecutions).toBe(Infinity);
  });
});

describe('Concurrent executions beyond the quota', () => {
  const quotas = limitedQuotas({}, { concurrentExecutions: 2 });

  test('are throttled over all functions, including those waiting for an instance', async () => {
    const functions = await startFunctions({ a: waiting, b: waiting }, {}, { maxInstances: 1 }, quotas);
    const { lambda } = functions;
    const underWay = [lambda.invoke('a', {}), lambda.invoke('a', {})];
    await expect(lambda.invoke('b', {})).rejects.toThrow(TooManyRequests);
    await Promise.all(underWay);
    expect(await lambda.invoke('b', {})).toEqual({ statusCode: 200 });
    await functions.remove();
  });

  test('answer 500 over the REST API', async () => {
    const api = await startApi({ functions: { waiting }, methods: { 'GET /a': { function: 'waiting' } }, quotas });
    const statuses = await Promise.all([1, 2, 3].map(async () => (await api.fetch('/a')).status));
    await api.stop();
    expect(statuses.sort()).toEqual([200, 200, 500]);
  });

  test('are retried when they are asynchronous, without losing an attempt', async () => {
    let calls = 0;
    const invoke = () =>
      Promise.resolve().then(() => {
        calls += 1;
        if (calls === 1) throw new TooManyRequests();
        return null;
      });
    jest.useFakeTimers();
    const invoker = createAsyncInvoker({ lambda: { invoke }, log: () => undefined, retryDelaysMs: [] });
    invoker.invoke('f', {});
    await jest.advanceTimersByTimeAsync(1000);
    await invoker.stop();
    expect(calls).toBe(2);
  });
});

test('answers 429 to requests over the account quota of the REST API', async () => {
  const api = await startApi({
    functions: { one: 'exports.handler = async () => ({ statusCode: 200 })' },
    methods: { 'GET /a': { function: 'one' } },
    quotas: limitedQuotas({ apiGatewayRequests: 1 }),
  });
  const answers = [await api.fetch('/a'), await api.fetch('/a')];
  const bodies = await Promise.all(answers.map((one) => one.text()));
  await api.stop();
  expect(answers.map(({ status }) => status)).toEqual([200, 429]);
  expect(bodies[1]).toBe('{"message":"Too Many Requests"}');
});
