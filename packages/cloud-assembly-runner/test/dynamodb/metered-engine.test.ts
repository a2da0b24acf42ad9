import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DynamoDB, type AttributeValue, type DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import { createAwsEndpoint, type AwsEndpoint } from '../../aws-endpoint';
import { createMeter } from '../../billing/meter';
import { createDynamoDb } from '../../dynamodb';
import { startEngine, type DynamoDbEngine } from '../../dynamodb/engine';
import { itemSize } from '../../dynamodb/item-size';
import { createPartitionThrottle, type PartitionUse } from '../../dynamodb/partition-throttle';

/** DynamoDB developer guide, "DynamoDB read and write operations", "Transaction capacity", and on indexes. */
describe('Request units', () => {
  const TableName = 'Jobs';
  const text = (kilobytes: number) => ({ S: 'x'.repeat(kilobytes * 1024 - 20) });
  const key = (id: string) => ({ id: { S: id } });
  const set = { UpdateExpression: 'SET body = :body', ExpressionAttributeValues: { ':body': { S: 'new' } } };
  const onlyNew = { ConditionExpression: 'attribute_not_exists(id)' };

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

/**
 * One unit a second, so that a write of nine leaves a partition key without any for eight seconds: longer than a test takes.
 * DynamoDB developer guide, "Best practices for designing and using partition keys effectively".
 */
describe('A partition key beyond its units', () => {
  const TableName = 'Seats';
  const text = (S: string) => ({ S });
  const key = (owner: string, id = '1') => ({ owner: text(owner), id: text(id) });
  /** Nine units of 1 kB. */
  const large = { body: text('x'.repeat(9 * 1024 - 100)) };
  const touch = { UpdateExpression: 'SET seen = :true', ExpressionAttributeValues: { ':true': { BOOL: true } } };

  let folder: string;
  let engine: DynamoDbEngine;
  let endpoint: AwsEndpoint;
  let service: ReturnType<typeof createDynamoDb>;
  let database: DynamoDB;
  let round = 0;
  /** A partition key of this test, which has no units left to write or to read. */
  let hot = '';

  /** Stores an item as if it had been there for long. */
  async function unlimited(Item: Record<string, AttributeValue>) {
    const direct = new DynamoDB({ endpoint: engine.url, region: 'eu-central-1', credentials: endpoint.admin });
    await direct.putItem({ TableName, Item });
    direct.destroy();
  }
  const put = (Item: Record<string, AttributeValue>) => database.putItem({ TableName, Item });
  const useOf = (partitionKey: string, index?: string) =>
    (service.statistics?.() as PartitionUse[]).find(
      (one) => one.index === index && one.partitionKey === JSON.stringify(text(partitionKey)),
    );

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'partition-limits-'));
    engine = await startEngine(join(folder, 'dynamodb.sqlite'));
    endpoint = createAwsEndpoint();
    service = createDynamoDb(engine.url, undefined, undefined, { readUnits: 1, writeUnits: 1 });
    endpoint.add(service);
    await endpoint.start();
    const hash = (AttributeName: string) => ({ AttributeName, KeyType: 'HASH' });
    await service.create({
      logicalId: TableName,
      type: 'AWS::DynamoDB::Table',
      properties: {
        AttributeDefinitions: ['owner', 'id', 'socket'].map((AttributeName) => ({ AttributeName, AttributeType: 'S' })),
        KeySchema: [hash('owner'), { AttributeName: 'id', KeyType: 'RANGE' }],
        GlobalSecondaryIndexes: [
          { IndexName: 'by-socket', KeySchema: [hash('socket')], Projection: { ProjectionType: 'ALL' } },
        ],
      },
      metadata: {},
    });
    database = new DynamoDB({
      endpoint: endpoint.url,
      region: 'eu-central-1',
      credentials: endpoint.admin,
      maxAttempts: 1,
    });
  });
  beforeEach(async () => {
    hot = `hot-${++round}`;
    await put({ ...key(hot), ...large });
  });
  afterAll(async () => {
    database.destroy();
    await endpoint.stop();
    await service.stop?.();
    await engine.stop();
    await rm(folder, { recursive: true });
  });

  const writes: readonly (readonly [string, (owner: string) => Promise<unknown>])[] = [
    ['PutItem', (owner) => put(key(owner, '2'))],
    ['UpdateItem', (owner) => database.updateItem({ TableName, Key: key(owner), ...touch })],
    ['DeleteItem', (owner) => database.deleteItem({ TableName, Key: key(owner) })],
    [
      'BatchWriteItem of it alone',
      (owner) => database.batchWriteItem({ RequestItems: { [TableName]: [{ DeleteRequest: { Key: key(owner) } }] } }),
    ],
  ];
  test.each(writes)('refuses %s, and no other key does', async (_, write) => {
    await expect(write(hot)).rejects.toMatchObject({
      name: 'ThrottlingException',
      throttlingReasons: [{ reason: 'TableWriteKeyRangeThroughputExceeded' }],
    });
    await expect(write(`${hot}-other`)).resolves.toBeDefined();
    expect(useOf(hot)).toMatchObject({ writeUnits: 9, throttled: 1 });
  });

  const reads: readonly (readonly [string, (owner: string) => Promise<unknown>])[] = [
    ['GetItem', (owner) => database.getItem({ TableName, Key: key(owner), ConsistentRead: true })],
    [
      'Query',
      (owner) =>
        database.query({
          TableName,
          ConsistentRead: true,
          KeyConditionExpression: '#owner = :owner AND begins_with(id, :one)',
          ExpressionAttributeNames: { '#owner': 'owner' },
          ExpressionAttributeValues: { ':owner': text(owner), ':one': text('1') },
        }),
    ],
    [
      'BatchGetItem',
      (owner) => database.batchGetItem({ RequestItems: { [TableName]: { Keys: [key(owner)], ConsistentRead: true } } }),
    ],
  ];
  test.each(reads)('refuses %s by units of their own', async (_, read) => {
    await expect(read(hot)).resolves.toBeDefined();
    await expect(read(hot)).rejects.toMatchObject({
      name: 'ThrottlingException',
      throttlingReasons: [{ reason: 'TableReadKeyRangeThroughputExceeded' }],
    });
    await expect(read(`${hot}-other`)).resolves.toBeDefined();
    expect(useOf(hot)?.readUnits).toBe(3);
  });

  test('leaves its items out of a batch', async () => {
    const all = [{ PutRequest: { Item: key(hot, '2') } }, { PutRequest: { Item: key(`${hot}-other`) } }];
    const { UnprocessedItems } = await database.batchWriteItem({ RequestItems: { [TableName]: all } });
    expect(UnprocessedItems).toEqual({ [TableName]: all.slice(0, 1) });
    const stored = await database.scan({
      TableName,
      ProjectionExpression: '#owner, id',
      ExpressionAttributeNames: { '#owner': 'owner' },
    });
    expect(stored.Items).toContainEqual(key(`${hot}-other`));
    expect(stored.Items).not.toContainEqual(key(hot, '2'));
  });

  test('cancels a transaction, and names which item', async () => {
    const puts = [key(`${hot}-other`), key(hot, '2')].map((Item) => ({ Put: { TableName, Item } }));
    await expect(database.transactWriteItems({ TransactItems: puts })).rejects.toMatchObject({
      name: 'TransactionCanceledException',
      CancellationReasons: [{ Code: 'None' }, { Code: 'ThrottlingError' }],
    });
  });

  test.each([
    ['by an index key that an item gets', { Item: { socket: true } }],
    ['by one that an item has', { Item: { socket: false } }],
  ])('of an index refuses writes of the table %s', async (_, { Item }) => {
    const socket = text(`socket-${hot}`);
    await put({ ...key(`${hot}-first`), socket });
    await put({ ...key(`${hot}-large`), ...large, socket });
    const write = Item.socket
      ? put({ ...key(`${hot}-second`), socket })
      : database.updateItem({ TableName, Key: key(`${hot}-first`), ...touch });
    await expect(write).rejects.toMatchObject({
      throttlingReasons: [{ reason: 'IndexWriteKeyRangeThroughputExceeded' }],
    });
  });

  test('is charged for a condition that fails, and its caller does not get the item', async () => {
    const owner = `${hot}-refused`;
    const onlyNew = { ConditionExpression: 'attribute_not_exists(id)' };
    const write = () => database.updateItem({ TableName, Key: key(owner), ...touch, ...onlyNew });
    await unlimited({ ...key(owner), ...large });
    const refusal: unknown = await write().catch((error: unknown) => error);
    expect(refusal).toMatchObject({ name: 'ConditionalCheckFailedException' });
    expect([(refusal as { Item?: unknown }).Item, useOf(owner)?.writeUnits]).toEqual([undefined, 9]);
    await expect(write()).rejects.toMatchObject({ name: 'ThrottlingException' });
  });
});

describe('The units of a partition key', () => {
  let at = 0;
  const throttle = createPartitionThrottle({ readUnits: 3000, writeUnits: 1000 }, () => at);
  const partition = { table: 'Seats', partitionKey: 'one' };

  test('last for a second, and come back at their rate after a debt', () => {
    const admitted: (readonly [number, boolean])[] = [];
    const look = (ms: number) => admitted.push([(at = ms), throttle.admits(partition, 'writeUnits')]);
    throttle.charge(partition, 'writeUnits', 999);
    look(0);
    throttle.charge(partition, 'writeUnits', 43);
    for (const ms of [1, 42, 43]) look(ms);
    // What is not used within a second is not saved.
    look(60_000);
    throttle.charge(partition, 'writeUnits', 1000);
    look(60_000);
    expect(admitted).toEqual([
      [0, true],
      [1, false],
      [42, false],
      [43, true],
      [60_000, true],
      [60_000, false],
    ]);
    expect(throttle.admits(partition, 'readUnits')).toBe(true);
    expect(throttle.admits({ ...partition, partitionKey: 'other' }, 'writeUnits')).toBe(true);
  });
});
