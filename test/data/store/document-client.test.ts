import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  BatchGetCommand,
  BatchWriteCommand,
  documentClient,
  GetCommand,
  PutCommand,
  QueryCommand,
  removedMiddleware,
  TransactWriteCommand,
  UpdateCommand,
} from '../../../data/store/document-client';

/** The requests to DynamoDB. */
const requests: [operation: string, body: unknown][] = [];
/** The response; `itsKey`: an item that consists of the requested key. */
let answer: unknown = {};
const itsKey = 'its key';
let server: Server;
let client: ReturnType<typeof documentClient>;

beforeAll(async () => {
  server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      const input = JSON.parse(body) as { readonly Key?: unknown };
      requests.push([String(request.headers['x-amz-target']).replace('DynamoDB_20120810.', ''), input]);
      response.end(JSON.stringify(answer === itsKey ? { Item: input.Key } : answer));
    });
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const { port } = server.address() as AddressInfo;
  client = documentClient({
    endpoint: `http://127.0.0.1:${port}`,
    region: 'eu-central-1',
    credentials: { accessKeyId: 'any', secretAccessKey: 'any' },
  });
});

beforeEach(() => {
  requests.length = 0;
  answer = {};
});

afterAll(() => {
  client.destroy();
  server.close();
});

const item = { id: 'a', n: 1.5, yes: true, none: null, list: ['x', 2], map: { Key: 'no key', Item: { deep: 'b' } } };
const attributes = {
  id: { S: 'a' },
  n: { N: '1.5' },
  yes: { BOOL: true },
  none: { NULL: true },
  list: { L: [{ S: 'x' }, { N: '2' }] },
  map: { M: { Key: { S: 'no key' }, Item: { M: { deep: { S: 'b' } } } } },
};

test('an item without its undefined attributes is stored and read unchanged', async () => {
  await client.send(new PutCommand({ TableName: 'jobs', Item: { ...item, absent: undefined } }));
  expect(requests).toEqual([['PutItem', { TableName: 'jobs', Item: attributes }]]);

  answer = { Item: attributes };
  const { Item } = await client.send(new GetCommand({ TableName: 'jobs', Key: { id: 'a' }, ConsistentRead: true }));
  expect(Item).toEqual(item);
  expect(requests[1]).toEqual(['GetItem', { TableName: 'jobs', Key: { id: { S: 'a' } }, ConsistentRead: true }]);
});

test('a missing item is undefined', async () => {
  const { Item, $metadata } = await client.send(new GetCommand({ TableName: 'jobs', Key: { id: 'a' } }));
  expect([Item, $metadata.httpStatusCode]).toEqual([undefined, 200]);
});

test('concurrent calls of the same command get their own responses', async () => {
  answer = itsKey;
  const read = async (id: string) => (await client.send(new GetCommand({ TableName: 'jobs', Key: { id } }))).Item;
  await expect(read('a')).resolves.toEqual({ id: 'a' });
  await expect(Promise.all(['b', 'c', 'd'].map(read))).resolves.toEqual([{ id: 'b' }, { id: 'c' }, { id: 'd' }]);
});

test('a query converts values, start key, items and last key', async () => {
  answer = { Items: [attributes, { id: { S: 'b' } }], Count: 2, LastEvaluatedKey: { id: { S: 'b' } } };
  const found = await client.send(
    new QueryCommand({
      TableName: 'jobs',
      ExpressionAttributeNames: { '#id': 'id' },
      ExpressionAttributeValues: { ':id': 'a', ':from': ['x'] },
      ExclusiveStartKey: { id: '0' },
    }),
  );
  expect(found).toMatchObject({ Items: [item, { id: 'b' }], Count: 2, LastEvaluatedKey: { id: 'b' } });
  expect(requests[0]?.[1]).toMatchObject({
    ExpressionAttributeNames: { '#id': 'id' },
    ExpressionAttributeValues: { ':id': { S: 'a' }, ':from': { L: [{ S: 'x' }] } },
    ExclusiveStartKey: { id: { S: '0' } },
  });
});

test('a query for the first page has no start key', async () => {
  await client.send(new QueryCommand({ TableName: 'jobs', ExclusiveStartKey: undefined }));
  expect(requests).toEqual([['Query', { TableName: 'jobs' }]]);
});

test('an update converts the returned attributes', async () => {
  answer = { Attributes: attributes };
  const { Attributes } = await client.send(new UpdateCommand({ TableName: 'jobs', Key: { id: 'a' } }));
  expect(Attributes).toEqual(item);
});

test('a batch read converts the items of each table and the unprocessed keys', async () => {
  const undone = { jobs: { Keys: [{ id: { S: 'b' } }], ConsistentRead: true } };
  answer = { Responses: { jobs: [attributes], Item: [{ id: { S: 'c' } }] }, UnprocessedKeys: undone };
  const { Responses, UnprocessedKeys } = await client.send(
    new BatchGetCommand({ RequestItems: { jobs: { Keys: [{ id: 'a' }, { id: 'b' }], ConsistentRead: true } } }),
  );
  expect(Responses).toEqual({ jobs: [item], Item: [{ id: 'c' }] });
  expect(UnprocessedKeys).toEqual({ jobs: { Keys: [{ id: 'b' }], ConsistentRead: true } });
  await client.send(new BatchGetCommand({ RequestItems: UnprocessedKeys }));
  expect(requests[1]).toEqual(['BatchGetItem', { RequestItems: undone }]);
});

test('batches and transactions convert items', async () => {
  const writes = [{ PutRequest: { Item: item } }, { DeleteRequest: { Key: { id: 'b' } } }];
  await client.send(new BatchWriteCommand({ RequestItems: { jobs: writes } }));
  await client.send(new TransactWriteCommand({ TransactItems: [{ Put: { TableName: 'jobs', Item: item } }] }));
  expect(requests[0]?.[1]).toEqual({
    RequestItems: {
      jobs: [{ PutRequest: { Item: attributes } }, { DeleteRequest: { Key: { id: { S: 'b' } } } }],
    },
  });
  expect(requests[1]?.[1]).toMatchObject({ TransactItems: [{ Put: { TableName: 'jobs', Item: attributes } }] });
});

test.each(removedMiddleware)('%s is in the SDK client and not in this one', (name) => {
  expect(new DynamoDBClient().middlewareStack.remove(name)).toBe(true);
  expect(client.middlewareStack.remove(name)).toBe(false);
});
