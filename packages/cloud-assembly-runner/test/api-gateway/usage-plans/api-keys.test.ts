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
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openApiKeys } from '../../../api-gateway/usage-plans/api-keys';
import { createAwsEndpoint } from '../../../aws-endpoint';
import { startApi, type SmallApi } from '../rest-api-fixture';

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
