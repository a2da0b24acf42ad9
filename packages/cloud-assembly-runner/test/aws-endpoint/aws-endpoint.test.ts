import { CloudFormationClient, DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import { DynamoDBClient, GetItemCommand } from '@aws-sdk/client-dynamodb';
import { createAwsEndpoint, type AwsEndpoint, type Credentials } from '../../aws-endpoint';
import { createMeter } from '../../billing/meter';
import { createCloudFormationApi } from '../../cloudformation/describe-stacks';
import { dynamoDbPermissions, tableArn } from '../../dynamodb/permissions';
import { parsePolicy } from '../../iam/policy';
import type { AwsApi, AwsCall } from '../../service';

describe('AWS endpoint', () => {
  const reached: AwsCall[] = [];
  const fakeDynamoDb: AwsApi = {
    signingName: 'dynamodb',
    permissions: dynamoDbPermissions,
    answer: (call) => {
      reached.push(call);
      return Promise.resolve({
        status: 200,
        headers: { 'content-type': 'application/x-amz-json-1.0' },
        body: '{"Item":{"id":{"S":"7"}}}',
        charges: { 'dynamodb:readUnits': 0.5 },
      });
    },
  };
  let endpoint: AwsEndpoint;
  const clients: { destroy(): void }[] = [];

  beforeEach(async () => {
    reached.length = 0;
    endpoint = createAwsEndpoint(undefined, createMeter());
    endpoint.add(fakeDynamoDb);
    endpoint.add(createCloudFormationApi('Stack', () => ({ BaseUrl: 'http://x/?a=1&b=<2>' })));
    await endpoint.start();
  });
  afterEach(async () => {
    for (const client of clients.splice(0)) client.destroy();
    await endpoint.stop();
  });

  const options = (credentials: Credentials) => ({
    endpoint: endpoint.url,
    region: 'eu-central-1',
    credentials,
    maxAttempts: 1,
  });
  const getItem = (credentials: Credentials, TableName: string) => {
    const client = new DynamoDBClient(options(credentials));
    clients.push(client);
    return client.send(new GetItemCommand({ TableName, Key: { id: { S: '7' } } }));
  };
  const reader = () =>
    endpoint.register('reader', () => [
      parsePolicy({ Statement: { Effect: 'Allow', Action: 'dynamodb:GetItem', Resource: tableArn('jobs') } }),
    ]);

  test("forwards calls that the caller's policies allow", async () => {
    const { Item } = await getItem(reader(), 'jobs');
    expect(Item).toEqual({ id: { S: '7' } });
    expect(reached.map(({ service, method }) => `${method} ${service}`)).toEqual(['POST dynamodb']);
  });

  test('answers AccessDeniedException with caller, action and resource to others', async () => {
    await expect(getItem(reader(), 'shares')).rejects.toMatchObject({
      name: 'AccessDeniedException',
      message: `User: reader is not authorized to perform: dynamodb:GetItem on resource: ${tableArn('shares')}`,
    });
    expect(reached).toEqual([]);
  });

  test('allows the administrator everything', async () => {
    expect(await getItem(endpoint.admin, 'shares')).toHaveProperty('Item');
  });

  test('refuses unknown credentials', async () => {
    const stranger = { accessKeyId: 'AKIASTRANGER', secretAccessKey: 'x', sessionToken: 'x' };
    await expect(getItem(stranger, 'jobs')).rejects.toMatchObject({ name: 'UnrecognizedClientException' });
    expect(reached).toEqual([]);
  });

  test('counts calls by caller and operation for the administrator', async () => {
    const credentials = reader();
    await getItem(credentials, 'jobs');
    await getItem(credentials, 'jobs');
    await getItem(credentials, 'shares').catch(() => undefined);
    await getItem(endpoint.admin, 'shares');
    const counts = { admin: { 'dynamodb:GetItem': 1 }, reader: { 'dynamodb:GetItem': 2 } };
    expect(endpoint.calls()).toEqual(counts);
    const authorization = `Bearer ${endpoint.admin.accessKeyId}`;
    expect(await (await fetch(`${endpoint.url}/_calls`, { headers: { authorization } })).json()).toEqual(counts);
    expect((await fetch(`${endpoint.url}/_calls`)).status).toBe(403);
  });

  test('returns what calls are charged with, by caller, to the administrator', async () => {
    await getItem(reader(), 'jobs');
    const authorization = `Bearer ${endpoint.admin.accessKeyId}`;
    const used = await fetch(`${endpoint.url}/_usage`, { headers: { authorization } });
    expect(await used.json()).toEqual({ reader: { 'dynamodb:readUnits': 0.5 } });
    expect((await fetch(`${endpoint.url}/_usage`)).status).toBe(403);
  });

  test("answers AccessDenied in CloudFormation's query protocol", async () => {
    const client = new CloudFormationClient(options(reader()));
    clients.push(client);
    await expect(client.send(new DescribeStacksCommand({ StackName: 'Stack' }))).rejects.toMatchObject({
      name: 'AccessDenied',
    });
  });

  test('describes the stack with its outputs', async () => {
    const client = new CloudFormationClient(options(endpoint.admin));
    clients.push(client);
    const { Stacks } = await client.send(new DescribeStacksCommand({ StackName: 'Stack' }));
    expect(Stacks?.[0]?.Outputs).toEqual([{ OutputKey: 'BaseUrl', OutputValue: 'http://x/?a=1&b=<2>' }]);
    await expect(client.send(new DescribeStacksCommand({ StackName: 'Other' }))).rejects.toMatchObject({
      name: 'ValidationError',
      message: 'Stack with id Other does not exist',
    });
  });

  test('refuses an unsupported API by name', async () => {
    const headers = {
      authorization: `AWS4-HMAC-SHA256 Credential=${endpoint.admin.accessKeyId}/20260101/eu-central-1/sqs/aws4_request`,
      'content-type': 'application/x-amz-json-1.0',
    };
    const answer = await fetch(endpoint.url, { method: 'POST', headers, body: '{}' });
    expect(answer.status).toBe(501);
    expect(await answer.text()).toContain('sqs');
  });
});
