import { createQuotas, noQuotas, type RateName } from '../../local/quotas';
import { TooManyRequests } from '../../local/lambda';
import { createLaterCalls } from '../../local/lambda/later-calls';
import { startFunctions } from './inline-functions';
import { startApi } from './small-api';
import { stingy } from './stingy';

const waiting =
  'exports.handler = async () => new Promise((done) => setTimeout(() => done({ statusCode: 200 }), 200));';

describe('The quotas of an account', () => {
  afterEach(() => jest.useRealTimers());

  it('let so many through in a moment, each key by itself, and again a second later', () => {
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

  it('are ten concurrent executions of functions in a new account, and a thousand otherwise', () => {
    expect(createQuotas('new-account').concurrentExecutions).toBe(10);
    expect(createQuotas('default').concurrentExecutions).toBe(1000);
    expect(noQuotas.concurrentExecutions).toBe(Infinity);
  });
});

describe('Concurrent executions beyond the quota', () => {
  const quotas = stingy({}, { concurrentExecutions: 2 });

  it('are refused, all functions together, and those that wait for an instance here count', async () => {
    const functions = await startFunctions({ a: waiting, b: waiting }, {}, { maxInstances: 1 }, quotas);
    const { lambda } = functions;
    const underWay = [lambda.invoke('a', {}), lambda.invoke('a', {})];
    await expect(lambda.invoke('b', {})).rejects.toThrow(TooManyRequests);
    await Promise.all(underWay);
    expect(await lambda.invoke('b', {})).toEqual({ statusCode: 200 });
    await functions.remove();
  });

  it('are 500 to a caller of the REST API', async () => {
    const api = await startApi({ functions: { waiting }, methods: { 'GET /a': { function: 'waiting' } }, quotas });
    const statuses = await Promise.all([1, 2, 3].map(async () => (await api.fetch('/a')).status));
    await api.stop();
    expect(statuses.sort()).toEqual([200, 200, 500]);
  });

  it('come back later when they are asynchronous, without losing an attempt', async () => {
    let calls = 0;
    const invoke = () =>
      Promise.resolve().then(() => {
        calls += 1;
        if (calls === 1) throw new TooManyRequests();
        return null;
      });
    const later = createLaterCalls({ invoke }, () => undefined, []);
    later.call('f', {});
    await new Promise((done) => setTimeout(done, 1200));
    await later.end();
    expect(calls).toBe(2);
  });
});

it('Requests beyond the quota of the account are 429 to a caller of the REST API', async () => {
  const api = await startApi({
    functions: { one: 'exports.handler = async () => ({ statusCode: 200 })' },
    methods: { 'GET /a': { function: 'one' } },
    quotas: stingy({ apiGatewayRequests: 1 }),
  });
  const answers = [await api.fetch('/a'), await api.fetch('/a')];
  const bodies = await Promise.all(answers.map((one) => one.text()));
  await api.stop();
  expect(answers.map(({ status }) => status)).toEqual([200, 429]);
  expect(bodies[1]).toBe('{"message":"Too Many Requests"}');
});
