import { CloudFormationClient, DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import { DynamoDBClient, GetItemCommand } from '@aws-sdk/client-dynamodb';
import { createAwsEndpoint, type AwsEndpoint, type Credentials } from '../../local/aws-endpoint';
import { createCloudFormationApi } from '../../local/cloudformation-api';
import { dynamoDbPermissions, tableArn } from '../../local/dynamodb/permissions';
import { parsePolicy } from '../../local/policy';
import type { AwsApi, AwsCall } from '../../local/service';

describe('The endpoint of all AWS APIs', () => {
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
      });
    },
  };
  let endpoint: AwsEndpoint;
  const clients: { destroy(): void }[] = [];

  beforeEach(async () => {
    reached.length = 0;
    endpoint = createAwsEndpoint();
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

  it('passes on what the policies of the caller allow', async () => {
    const { Item } = await getItem(reader(), 'jobs');
    expect(Item).toEqual({ id: { S: '7' } });
    expect(reached.map(({ service, method }) => `${method} ${service}`)).toEqual(['POST dynamodb']);
  });

  it('answers AccessDeniedException to what they do not, naming caller, action and resource', async () => {
    await expect(getItem(reader(), 'shares')).rejects.toMatchObject({
      name: 'AccessDeniedException',
      message: `User: reader is not authorized to perform: dynamodb:GetItem on resource: ${tableArn('shares')}`,
    });
    expect(reached).toEqual([]);
  });

  it('allows the administrator everything', async () => {
    expect(await getItem(endpoint.admin, 'shares')).toHaveProperty('Item');
  });

  it('refuses keys that it did not give', async () => {
    const stranger = { accessKeyId: 'AKIASTRANGER', secretAccessKey: 'x', sessionToken: 'x' };
    await expect(getItem(stranger, 'jobs')).rejects.toMatchObject({ name: 'UnrecognizedClientException' });
    expect(reached).toEqual([]);
  });

  it('counts calls by caller and operation, for the administrator to read', async () => {
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

  it('speaks of AccessDenied in the protocol of CloudFormation', async () => {
    const client = new CloudFormationClient(options(reader()));
    clients.push(client);
    await expect(client.send(new DescribeStacksCommand({ StackName: 'Stack' }))).rejects.toMatchObject({
      name: 'AccessDenied',
    });
  });

  it('describes the stack with its outputs', async () => {
    const client = new CloudFormationClient(options(endpoint.admin));
    clients.push(client);
    const { Stacks } = await client.send(new DescribeStacksCommand({ StackName: 'Stack' }));
    expect(Stacks?.[0]?.Outputs).toEqual([{ OutputKey: 'BaseUrl', OutputValue: 'http://x/?a=1&b=<2>' }]);
    await expect(client.send(new DescribeStacksCommand({ StackName: 'Other' }))).rejects.toMatchObject({
      name: 'ValidationError',
      message: 'Stack with id Other does not exist',
    });
  });

  it('refuses an API that nobody plays, by name', async () => {
    const headers = {
      authorization: `AWS4-HMAC-SHA256 Credential=${endpoint.admin.accessKeyId}/20260101/eu-central-1/sqs/aws4_request`,
      'content-type': 'application/x-amz-json-1.0',
    };
    const answer = await fetch(endpoint.url, { method: 'POST', headers, body: '{}' });
    expect(answer.status).toBe(501);
    expect(await answer.text()).toContain('sqs');
  });
});
