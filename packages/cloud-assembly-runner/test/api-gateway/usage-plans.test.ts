import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  APIGatewayClient,
  CreateApiKeyCommand,
  CreateUsagePlanKeyCommand,
  DeleteApiKeyCommand,
  DeleteUsagePlanKeyCommand,
  GetApiKeyCommand,
  GetApiKeysCommand,
  UpdateApiKeyCommand,
} from '@aws-sdk/client-api-gateway';
import { openApiKeys } from '../../api-gateway/usage-plans';
import { createAwsEndpoint } from '../../aws-endpoint';
import { apiId, apiPerTest, keyValue, startApi, type ApiSpec, type SmallApi } from './rest-api-fixture';
import { noQuotas } from '../../quotas';

describe('Api keys', () => {
  const endpoint = createAwsEndpoint();
  let api: SmallApi;
  let client: APIGatewayClient;

  beforeAll(async () => {
    api = await startApi({
      functions: { f: 'exports.handler = async () => ({ statusCode: 200 })' },
      methods: { 'GET /f': { function: 'f', apiKey: true } },
    });
    endpoint.add(api.gateway);
    await endpoint.start();
    client = new APIGatewayClient({ endpoint: endpoint.url, region: 'eu-central-1', credentials: endpoint.admin });
  });

  afterAll(async () => {
    client.destroy();
    await endpoint.stop();
    await api.stop();
  });

  const statusWith = async (key = '') => (await api.fetch('/f', { headers: { 'x-api-key': key } })).status;

  test('a key is accepted while it is in the usage plan and enabled, until it is deleted', async () => {
    const { id = '', value } = await client.send(new CreateApiKeyCommand({ name: 'partner', enabled: true }));
    const switchTo = (enabled: string) =>
      client.send(
        new UpdateApiKeyCommand({ apiKey: id, patchOperations: [{ op: 'replace', path: '/enabled', value: enabled }] }),
      );
    expect(await statusWith(value)).toBe(403);
    await client.send(new CreateUsagePlanKeyCommand({ usagePlanId: api.planId, keyId: id, keyType: 'API_KEY' }));
    expect(await statusWith(value)).toBe(200);
    await switchTo('false');
    expect(await statusWith(value)).toBe(403);
    await switchTo('true');
    expect(await statusWith(value)).toBe(200);
    await client.send(new DeleteUsagePlanKeyCommand({ usagePlanId: api.planId, keyId: id }));
    expect(await statusWith(value)).toBe(403);
    await client.send(new CreateUsagePlanKeyCommand({ usagePlanId: api.planId, keyId: id, keyType: 'API_KEY' }));
    await client.send(new DeleteApiKeyCommand({ apiKey: id }));
    expect(await statusWith(value)).toBe(403);
  });

  test('a key shows its value only with includeValue', async () => {
    const value = 'a-value-of-my-own-0123456789';
    const { id } = await client.send(new CreateApiKeyCommand({ name: 'shown', description: 'mine', value }));
    const shown = await client.send(new GetApiKeyCommand({ apiKey: id, includeValue: true }));
    expect(shown).toMatchObject({
      name: 'shown',
      description: 'mine',
      enabled: false,
      value,
      createdDate: expect.any(Date) as Date,
    });
    expect((await client.send(new GetApiKeyCommand({ apiKey: id }))).value).toBeUndefined();
    const { items = [] } = await client.send(new GetApiKeysCommand({ nameQuery: 'sho', includeValues: true }));
    expect(items.map((item) => [item.name, item.value])).toEqual([['shown', value]]);
  });

  test.each([
    ['an unknown key', () => new GetApiKeyCommand({ apiKey: 'none' }), 'NotFoundException'],
    [
      'an unknown usage plan',
      () => new DeleteUsagePlanKeyCommand({ usagePlanId: 'none', keyId: 'none' }),
      'NotFoundException',
    ],
    ['a duplicate value', () => new CreateApiKeyCommand({ value: api.keyValue }), 'ConflictException'],
    ['a value that is too short', () => new CreateApiKeyCommand({ value: 'short' }), 'BadRequestException'],
  ] as const)('fails for %s with an error that the SDK knows', async (_what, command, name) => {
    await expect(client.send(command() as GetApiKeyCommand)).rejects.toMatchObject({ name });
  });

  test('a caller needs apigateway permissions on the path', async () => {
    const allowed = {
      Effect: 'Allow',
      Action: ['apigateway:POST'],
      Resource: ['arn:aws:apigateway:eu-central-1::/apikeys'],
      Condition: {},
    } as const;
    const credentials = endpoint.register('maker', () => [
      {
        Version: '2012-10-17',
        Statement: [{ ...allowed, Action: [...allowed.Action], Resource: [...allowed.Resource] }],
      },
    ]);
    const maker = new APIGatewayClient({ endpoint: endpoint.url, region: 'eu-central-1', credentials });
    await expect(maker.send(new CreateApiKeyCommand({}))).resolves.toMatchObject({ enabled: false });
    await expect(maker.send(new GetApiKeysCommand({}))).rejects.toMatchObject({ name: 'AccessDeniedException' });
    maker.destroy();
  });

  test('keys survive a restart in a file that only its owner can read', () => {
    const folder = mkdtempSync(join(tmpdir(), 'keys-'));
    const { id, value } = openApiKeys(folder).put({ name: 'kept', enabled: true });
    openApiKeys(folder).attach('plan', id);
    const again = openApiKeys(folder);
    expect(again.withValue(value)).toMatchObject({ id, name: 'kept', enabled: true });
    expect(again.isUnder('plan', id)).toBe(true);
    expect(statSync(join(folder, 'api-keys.json')).mode & 0o777).toBe(0o600);
    rmSync(folder, { recursive: true });
  });
});

const functions = {
  key: 'exports.handler = async (event) => ({ statusCode: 200, body: JSON.stringify(event.requestContext.identity) })',
};
const methods = { 'POST /token': { function: 'key', apiKey: true }, 'GET /free': { function: 'key' } };

const startSpec = apiPerTest();

async function start(spec: Partial<ApiSpec> = {}) {
  const started = await startSpec({ functions, methods, ...spec });
  const call = (key?: string) =>
    started.fetch('/token', { method: 'POST', headers: key === undefined ? {} : { 'x-api-key': key } });
  return Object.assign(call, { free: () => started.fetch('/free') });
}

describe('A method that requires an API key', () => {
  test('receives the key in its context', async () => {
    const call = await start();
    expect(await (await call(keyValue)).json()).toMatchObject({
      apiKey: keyValue,
      apiKeyId: expect.any(String) as string,
    });
  });

  test.each([undefined, '', 'wrong'])('answers 403 to the key %p', async (key) => {
    const call = await start();
    const response = await call(key);
    expect(response.status).toBe(403);
    expect(await response.json()).toEqual({ message: 'Forbidden' });
  });

  test('answers 403 to a key of a plan for another stage', async () => {
    const call = await start({ usagePlan: { ApiStages: [{ ApiId: 'other', Stage: 'live' }] } });
    expect((await call(keyValue)).status).toBe(403);
  });
});

describe('Throttling', () => {
  // So slow that no token is refilled during the test.
  const slow = { RateLimit: 0.001, BurstLimit: 2 };
  const statuses = async (calls: readonly Promise<Response>[]) =>
    (await Promise.all(calls)).map(({ status }) => status).sort();

  test('refuses calls beyond the burst of the usage plan', async () => {
    const call = await start({ usagePlan: { Throttle: slow } });
    expect(await statuses([call(keyValue), call(keyValue), call(keyValue)])).toEqual([200, 200, 429]);
    const refused = await call(keyValue);
    expect(await refused.json()).toEqual({ message: 'Too Many Requests' });
    expect((await call('wrong')).status).toBe(403);
  });

  test('applies a method setting whose path is a slash to the root, and to no other path', async () => {
    const started = await startSpec({
      functions,
      methods: { 'GET /': { function: 'key' }, 'GET /free': { function: 'key' } },
      stage: {
        MethodSettings: [{ ResourcePath: '/', HttpMethod: 'GET', ThrottlingRateLimit: 0.001, ThrottlingBurstLimit: 1 }],
      },
    });
    const root = [started.fetch('/'), started.fetch('/')];
    expect(await statuses(root)).toEqual([200, 429]);
    expect(await statuses([started.fetch('/free'), started.fetch('/free')])).toEqual([200, 200]);
  });

  test('refills the bucket of the usage plan', async () => {
    const call = await start({ usagePlan: { Throttle: { RateLimit: 20, BurstLimit: 1 } } });
    // Whole milliseconds: with a fraction, the sum of 49 and 1 ms of refill may be rounded to less than a token.
    let now = Math.ceil(performance.now());
    const clock = jest.spyOn(performance, 'now').mockImplementation(() => now);
    try {
      expect(await statuses([call(keyValue), call(keyValue)])).toEqual([200, 429]);
      now += 49;
      expect((await call(keyValue)).status).toBe(429);
      now += 1;
      expect((await call(keyValue)).status).toBe(200);
    } finally {
      clock.mockRestore();
    }
  });

  test('prefers the throttle of a method to that of the usage plan', async () => {
    const ApiStages = [{ ApiId: apiId, Stage: 'live', Throttle: { '/token/POST': slow } }];
    const call = await start({ usagePlan: { ApiStages, Throttle: { RateLimit: 1000, BurstLimit: 1000 } } });
    expect(await statuses([call(keyValue), call(keyValue), call(keyValue)])).toEqual([200, 200, 429]);
  });

  test("applies the stage's throttle to each method without its own, separately", async () => {
    const call = await start({
      stage: {
        MethodSettings: [
          { HttpMethod: '*', ResourcePath: '/*', ThrottlingRateLimit: 0.001, ThrottlingBurstLimit: 1 },
          { HttpMethod: 'GET', ResourcePath: '/~1free', ThrottlingRateLimit: 1000, ThrottlingBurstLimit: 1000 },
        ],
      },
    });
    expect(await statuses([call(keyValue), call(keyValue)])).toEqual([200, 429]);
    expect(await statuses([call.free(), call.free()])).toEqual([200, 200]);
  });

  test("applies a method's throttle to that method only", async () => {
    const call = await start({
      stage: {
        MethodSettings: [
          { HttpMethod: 'GET', ResourcePath: '/~1free', ThrottlingRateLimit: 0.001, ThrottlingBurstLimit: 1 },
        ],
      },
    });
    expect(await statuses([call.free(), call.free()])).toEqual([200, 429]);
    expect(await statuses([call(keyValue), call(keyValue)])).toEqual([200, 200]);
  });

  test('of a method spares the quota of the account', async () => {
    const MethodSettings = [
      { HttpMethod: 'GET', ResourcePath: '/~1free', ThrottlingRateLimit: 0.001, ThrottlingBurstLimit: 1 },
    ];
    let counted = 0;
    const admits = (rate: string) => rate !== 'apiGatewayRequests' || ++counted > 0;
    const { free } = await start({ stage: { MethodSettings }, quotas: { ...noQuotas, admits } });
    expect(await statuses([free(), free(), free()])).toEqual([200, 429, 429]);
    expect(counted).toBe(1);
  });
});
