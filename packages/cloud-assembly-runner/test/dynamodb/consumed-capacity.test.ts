import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DynamoDB, type DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import { createAwsEndpoint, type AwsEndpoint } from '../../aws-endpoint';
import { createMeter } from '../../billing/meter';
import { createDynamoDb } from '../../dynamodb';
import { startEngine, type DynamoDbEngine } from '../../dynamodb/engine';
import { itemSize } from '../../dynamodb/item-size';

const TableName = 'Jobs';
const text = (kilobytes: number) => ({ S: 'x'.repeat(kilobytes * 1024 - 20) });
const key = (id: string) => ({ id: { S: id } });
const set = { UpdateExpression: 'SET body = :body', ExpressionAttributeValues: { ':body': { S: 'new' } } };
const onlyNew = { ConditionExpression: 'attribute_not_exists(id)' };

/** DynamoDB developer guide, "DynamoDB read and write operations", "Transaction capacity", and on indexes. */
describe('Request units', () => {
  let folder: string;
  let engine: DynamoDbEngine;
  let endpoint: AwsEndpoint;
  let database: DynamoDB;
  const meter = createMeter();
  const dynamoDb = () => createDynamoDb(engine.url);
  let service: ReturnType<typeof dynamoDb>;

  /** Units that a call is charged with, also one that fails. */
  async function unitsOf(call: () => Promise<unknown>): Promise<readonly [reads: number, writes: number]> {
    const so = () => {
      const { 'dynamodb:readUnits': reads = 0, 'dynamodb:writeUnits': writes = 0 } = meter.usage()['admin'] ?? {};
      return [reads, writes] as const;
    };
    const [reads, writes] = so();
    await call().catch(() => undefined);
    return [so()[0] - reads, so()[1] - writes];
  }

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'consumed-capacity-'));
    engine = await startEngine(join(folder, 'dynamodb.sqlite'));
    endpoint = createAwsEndpoint(undefined, meter);
    service = dynamoDb();
    endpoint.add(service);
    await endpoint.start();
    await service.create({
      logicalId: TableName,
      type: 'AWS::DynamoDB::Table',
      properties: {
        AttributeDefinitions: ['id', 'status'].map((AttributeName) => ({ AttributeName, AttributeType: 'S' })),
        KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
        GlobalSecondaryIndexes: [
          {
            IndexName: 'by-status',
            KeySchema: [{ AttributeName: 'status', KeyType: 'HASH' }],
            Projection: { ProjectionType: 'KEYS_ONLY' },
          },
        ],
      },
      metadata: {},
    });
    const options = { endpoint: endpoint.url, region: 'eu-central-1', credentials: endpoint.admin, maxAttempts: 1 };
    database = new DynamoDB(options satisfies DynamoDBClientConfig);
  });
  beforeEach(async () => {
    for (const [id, body] of [
      ['small', text(1)],
      ['large', text(9)],
    ] as const)
      await database.putItem({ TableName, Item: { ...key(id), body } });
    for (const id of ['new', 'indexed']) await database.deleteItem({ TableName, Key: key(id) });
  });
  afterAll(async () => {
    database.destroy();
    await endpoint.stop();
    await service.stop?.();
    await engine.stop();
    await rm(folder, { recursive: true });
  });

  test.each<[string, () => Promise<unknown>, readonly [number, number]]>([
    ['GetItem, eventually consistent', () => database.getItem({ TableName, Key: key('small') }), [0.5, 0]],
    [
      'GetItem, strongly consistent',
      () => database.getItem({ TableName, Key: key('small'), ConsistentRead: true }),
      [1, 0],
    ],
    ['GetItem of 9 KB', () => database.getItem({ TableName, Key: key('large') }), [1.5, 0]],
    ['GetItem of an item that is not there', () => database.getItem({ TableName, Key: key('none') }), [0.5, 0]],
    [
      'Query, by all items read together',
      () =>
        database.query({
          TableName,
          KeyConditionExpression: 'id = :id',
          ExpressionAttributeValues: { ':id': { S: 'large' } },
        }),
      [1.5, 0],
    ],
    ['Scan, by all items read together', () => database.scan({ TableName, ConsistentRead: true }), [3, 0]],
    [
      'BatchGetItem, by each item',
      () => database.batchGetItem({ RequestItems: { [TableName]: { Keys: [key('small'), key('large')] } } }),
      [2, 0],
    ],
    [
      'TransactGetItems, twice',
      () => database.transactGetItems({ TransactItems: [{ Get: { TableName, Key: key('large') } }] }),
      [6, 0],
    ],
    ['PutItem', () => database.putItem({ TableName, Item: { ...key('new'), body: text(2) } }), [0, 2]],
    [
      'PutItem with a key of an index, for both',
      () => database.putItem({ TableName, Item: { ...key('indexed'), status: { S: 'PENDING' } } }),
      [0, 2],
    ],
    [
      'UpdateItem, by the larger of both items',
      () => database.updateItem({ TableName, Key: key('large'), ...set }),
      [0, 9],
    ],
    ['DeleteItem', () => database.deleteItem({ TableName, Key: key('large') }), [0, 9]],
    [
      'BatchWriteItem, by each item',
      () =>
        database.batchWriteItem({
          RequestItems: {
            [TableName]: [
              { PutRequest: { Item: { ...key('new'), body: text(2) } } },
              { DeleteRequest: { Key: key('small') } },
            ],
          },
        }),
      [0, 3],
    ],
    [
      'TransactWriteItems, twice',
      () =>
        database.transactWriteItems({
          TransactItems: [
            { Put: { TableName, Item: { ...key('new'), body: text(2) } } },
            {
              ConditionCheck: { TableName, Key: key('small'), ConditionExpression: 'attribute_exists(id)' },
            },
          ],
        }),
      [0, 6],
    ],
    [
      'a failed condition, by the item that is there',
      () =>
        database.updateItem({
          TableName,
          Key: key('large'),
          ...set,
          ...onlyNew,
          ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
        }),
      [0, 9],
    ],
    [
      'a failed condition, by the new item',
      () => database.putItem({ TableName, Item: { ...key('small'), body: text(3) }, ...onlyNew }),
      [0, 3],
    ],
    [
      'a cancelled transaction, twice',
      () =>
        database.transactWriteItems({
          TransactItems: [
            { Put: { TableName, Item: { ...key('new'), body: text(3) } } },
            { Update: { TableName, Key: key('small'), ...set, ...onlyNew } },
          ],
        }),
      [0, 8],
    ],
    ['a request that is refused: none', () => database.getItem({ TableName: 'Unknown', Key: key('new') }), [0, 0]],
  ])('%s', async (_, call, units) => {
    expect(await unitsOf(call)).toEqual(units);
  });

  test('are returned to a caller that asks for them, and to no other', async () => {
    const asked = await database.getItem({ TableName, Key: key('small'), ReturnConsumedCapacity: 'TOTAL' });
    expect(asked.ConsumedCapacity).toEqual({ TableName, CapacityUnits: 0.5 });
    expect(
      await unitsOf(() => database.getItem({ TableName, Key: key('small'), ReturnConsumedCapacity: 'TOTAL' })),
    ).toEqual([0.5, 0]);
    const { $metadata: _, ...answer } = await database.getItem({ TableName, Key: key('small') });
    expect(Object.keys(answer)).toEqual(['Item']);
  });
});

describe('Size of an item', () => {
  test.each([
    ['a text, in UTF-8', { id: { S: 'é' } }, 2 + 2],
    ['a number, by its significant digits', { n: { N: '-1200.50' } }, 1 + 4],
    ['a zero', { n: { N: '0' } }, 1 + 1],
    ['a Boolean', { b: { BOOL: true } }, 1 + 1],
    ['null', { b: { NULL: true } }, 1 + 1],
    ['binary, decoded', { b: { B: 'AAAA' } }, 1 + 3],
    ['a set', { s: { SS: ['ab', 'c'] } }, 1 + 3],
    ['a list', { l: { L: [{ S: 'ab' }, { BOOL: false }] } }, 1 + 3 + (1 + 2) + (1 + 1)],
    ['a map', { m: { M: { x: { S: 'ab' } } } }, 1 + 3 + 1 + (1 + 2)],
  ])('counts %s', (_, item, bytes) => expect(itemSize(item)).toBe(bytes));
});
