import { readFile, rm, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DynamoDBClient, PutItemCommand, QueryCommand, ScanCommand } from '@aws-sdk/client-dynamodb';
import initSqlJs from 'sql.js';
import { createAwsEndpoint } from '../../aws-endpoint';
import { createDynamoDb } from '../../dynamodb';
import { prepareDatabase, startEngine, type DynamoDbEngine } from '../../dynamodb/engine';
import { createTtlSweep, createTtlDeletions } from '../../dynamodb/time-to-live';
import type { Resource } from '../../service';
import { dynamoDbPermissions, tableArn } from '../../dynamodb/permissions';
import { sequenceNumber, withSequenceNumbers } from '../../dynamodb/forward';

const table = (properties: object = {}): Resource => ({
  logicalId: 'Shares',
  type: 'AWS::DynamoDB::Table',
  properties: {
    AttributeDefinitions: [
      { AttributeName: 'organisation', AttributeType: 'S' },
      { AttributeName: 'code', AttributeType: 'S' },
    ],
    KeySchema: [
      { AttributeName: 'organisation', KeyType: 'HASH' },
      { AttributeName: 'code', KeyType: 'RANGE' },
    ],
    StreamSpecification: { StreamViewType: 'NEW_AND_OLD_IMAGES' },
    TimeToLiveSpecification: { AttributeName: 'ttl', Enabled: true },
    ...properties,
  },
  metadata: {},
});

describe('DynamoDB', () => {
  let folder: string;
  let engine: DynamoDbEngine;
  let client: DynamoDBClient;
  const dynamoDb = () => createDynamoDb(engine.url);
  const put = (code: string, more: Record<string, { N: string }>) =>
    client.send(
      new PutItemCommand({ TableName: 'Shares', Item: { organisation: { S: 'o' }, code: { S: code }, ...more } }),
    );
  const codes = async () => {
    const { Items = [] } = await client.send(new ScanCommand({ TableName: 'Shares' }));
    return Items.map(({ code }) => code?.S).sort();
  };

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'dynamodb-test-'));
    engine = await startEngine(join(folder, 'dynamodb.sqlite'));
    const credentials = { accessKeyId: 'test', secretAccessKey: 'test' };
    client = new DynamoDBClient({ endpoint: engine.url, region: 'eu-central-1', credentials });
  });
  afterAll(async () => {
    client.destroy();
    await engine.stop();
    await rm(folder, { recursive: true });
  });

  test('creates a table with a stream, and keeps its items when it is created again', async () => {
    const created = await dynamoDb().create(table());
    expect(created.ref).toBe('Shares');
    expect(created.attributes?.['Arn']).toBe('arn:aws:dynamodb:eu-central-1:000000000000:table/Shares');
    expect(created.attributes?.['StreamArn']).toContain('/stream/');
    await put('kept', {});
    expect(await dynamoDb().create(table())).toEqual(created);
    expect(await codes()).toEqual(['kept']);
  });

  test('refuses an existing table with other keys, and names the remedy', async () => {
    const KeySchema = [{ AttributeName: 'code', KeyType: 'HASH' }];
    const AttributeDefinitions = [{ AttributeName: 'code', AttributeType: 'S' }];
    await expect(dynamoDb().create(table({ KeySchema, AttributeDefinitions }))).rejects.toThrow(
      'Table Shares exists with other keys or another stream: remove the data folder',
    );
  });

  describe('an update of a table that has items', () => {
    const name = (AttributeName: string) => ({ AttributeName, AttributeType: 'S' });
    const index = (IndexName: string, key: string, Projection: object = { ProjectionType: 'KEYS_ONLY' }) => ({
      IndexName,
      KeySchema: [{ AttributeName: key, KeyType: 'HASH' }],
      Projection,
    });
    const jobs = (...GlobalSecondaryIndexes: readonly ReturnType<typeof index>[]): Resource => {
      const keys = GlobalSecondaryIndexes.flatMap(({ KeySchema }) => KeySchema.map((key) => key.AttributeName));
      const AttributeDefinitions = [...new Set(['organisation', 'code', ...keys])].map(name);
      return { ...table({ AttributeDefinitions, GlobalSecondaryIndexes }), logicalId: 'Jobs' };
    };
    const byStatus = index('by-status', 'status');
    const withDevice = index('with-device', 'device');
    const query = async (IndexName: string, key: string) => {
      const { Items = [] } = await client.send(
        new QueryCommand({
          TableName: 'Jobs',
          IndexName,
          KeyConditionExpression: '#key = :value',
          ExpressionAttributeNames: { '#key': key },
          ExpressionAttributeValues: { ':value': { S: 'one' } },
        }),
      );
      return Items.map(({ code }) => code?.S);
    };

    beforeAll(async () => {
      await dynamoDb().create(jobs(byStatus));
      const Item = { organisation: { S: 'o' }, code: { S: 'of before' }, status: { S: 'one' }, device: { S: 'one' } };
      await client.send(new PutItemCommand({ TableName: 'Jobs', Item }));
    });

    // CloudFormation user guide, `AWS::DynamoDB::Table`, GlobalSecondaryIndexes.
    test.each([
      ['adds two', [byStatus, withDevice, index('by-code', 'code')], 'has 2 indexes more or fewer'],
      ['replaces one', [withDevice], 'has 2 indexes more or fewer'],
      ['changes a key', [index('by-status', 'device')], 'Index by-status of table Jobs has other keys or attributes'],
      ['changes what it holds', [index('by-status', 'status', { ProjectionType: 'ALL' })], 'other keys or attributes'],
    ])('that %s is refused', async (_, wanted, message) => {
      await expect(dynamoDb().create(jobs(...wanted))).rejects.toThrow(message);
      expect(await query('by-status', 'status')).toEqual(['of before']);
    });

    test('adds an index with the items of before, then deletes the other one', async () => {
      await dynamoDb().create(jobs(byStatus, withDevice));
      expect(await query('with-device', 'device')).toEqual(['of before']);
      await dynamoDb().create(jobs(withDevice));
      await expect(query('by-status', 'status')).rejects.toThrow('index');
    });
  });

  test('forwards all callers to the same tables', async () => {
    const service = dynamoDb();
    const endpoint = createAwsEndpoint();
    endpoint.add(service);
    await endpoint.start();
    const caller = new DynamoDBClient({ endpoint: endpoint.url, region: 'eu-central-1', credentials: endpoint.admin });
    const { Count } = await caller.send(new ScanCommand({ TableName: 'Shares' }));
    const unknown = caller.send(new ScanCommand({ TableName: 'Nowhere' }));
    await expect(unknown).rejects.toThrow('not found');
    caller.destroy();
    await endpoint.stop();
    await service.stop?.();
    expect(Count).toBe(1);
  });

  test('deletes only expired items, page by page', async () => {
    const now = Math.floor(Date.now() / 1000);
    await put('old-a', { ttl: { N: String(now - 1) } });
    await put('old-b', { ttl: { N: '1' } });
    await put('new', { ttl: { N: String(now + 100) } });
    const keys = ['organisation', 'code'];
    const timedOut = createTtlDeletions();
    const sweep = createTtlSweep(client, [{ name: 'Shares', attribute: 'ttl', keys }], timedOut, 2);
    await sweep();
    await sweep();
    await sweep();
    expect(await codes()).toEqual(['kept', 'new']);
    const isTimedOut = (code: string) => timedOut.has('Shares', { code: { S: code }, organisation: { S: 'o' } });
    expect(['old-a', 'old-b', 'new', 'kept'].map(isTimedOut)).toEqual([true, true, false, false]);
  });
});

describe('Database file of the engine', () => {
  test('trims the stream records of each table separately', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'database-test-'));
    const file = join(folder, 'dynamodb.sqlite');
    await prepareDatabase(file);
    const { Database } = await initSqlJs();
    const database = new Database(await readFile(file));
    const insert = database.prepare(
      "INSERT INTO _stream_records (table_name, event_name, keys_json, sequence_number, shard_id, created_at) VALUES (?, 'INSERT', '{}', ?, 's', 0)",
    );
    const write = (name: string, from: number, to: number) => {
      for (let n = from; n <= to; n++) insert.run([name, String(n)]);
    };
    database.run('BEGIN');
    write('quiet', 1, 3);
    write('busy', 1, 25_050);
    database.run('COMMIT');
    const [result] = database.exec(
      'SELECT table_name, MIN(CAST(sequence_number AS INTEGER)), MAX(CAST(sequence_number AS INTEGER)) FROM _stream_records GROUP BY table_name',
    );
    insert.free();
    database.close();
    await rm(folder, { recursive: true });
    expect(result?.values).toEqual([
      ['busy', 15_001, 25_050],
      ['quiet', 1, 3],
    ]);
  });
});

function permissions(operation: string, body: unknown): string[] {
  const call = {
    service: 'dynamodb',
    method: 'POST',
    path: '/',
    headers: { 'x-amz-target': `DynamoDB_20120810.${operation}` },
    body: Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)),
  };
  return dynamoDbPermissions(call).map(({ action, resource }) => `${action} ${resource}`);
}

describe('IAM permissions of a DynamoDB call', () => {
  test.each(['GetItem', 'PutItem', 'UpdateItem', 'DeleteItem', 'Query', 'Scan', 'DescribeTable'])(
    'are %s on its table',
    (operation) => {
      expect(permissions(operation, { TableName: 'jobs' })).toEqual([`dynamodb:${operation} ${tableArn('jobs')}`]);
    },
  );

  test('are on the index of a query', () => {
    expect(permissions('Query', { TableName: 'jobs', IndexName: 'by-status' })).toEqual([
      `dynamodb:Query ${tableArn('jobs')}/index/by-status`,
    ]);
  });

  test('are on each table of a batch', () => {
    expect(permissions('BatchGetItem', { RequestItems: { jobs: {}, fleet: {} } })).toEqual([
      `dynamodb:BatchGetItem ${tableArn('jobs')}`,
      `dynamodb:BatchGetItem ${tableArn('fleet')}`,
    ]);
  });

  test('are those of the single operations of a transaction', () => {
    const TransactItems = [
      { Put: { TableName: 'jobs' } },
      { Update: { TableName: 'fleet' } },
      { Delete: { TableName: 'jobs' } },
      { ConditionCheck: { TableName: 'fleet' } },
    ];
    expect(permissions('TransactWriteItems', { TransactItems })).toEqual([
      `dynamodb:PutItem ${tableArn('jobs')}`,
      `dynamodb:UpdateItem ${tableArn('fleet')}`,
      `dynamodb:DeleteItem ${tableArn('jobs')}`,
      `dynamodb:ConditionCheckItem ${tableArn('fleet')}`,
    ]);
    expect(permissions('TransactGetItems', { TransactItems: [{ Get: { TableName: 'jobs' } }] })).toEqual([
      `dynamodb:GetItem ${tableArn('jobs')}`,
    ]);
  });

  test.each([
    ['ListTables', {}],
    ['GetItem', 'not json'],
    ['TransactWriteItems', { TransactItems: [{ Put: {} }] }],
  ])('are on * for %s with %j, which name no table', (operation, body) => {
    expect(permissions(operation, body)).toEqual([`dynamodb:${operation} *`]);
  });
});

describe('Sequence numbers', () => {
  test('sequence numbers have the length that clients of AWS check', () => {
    expect(sequenceNumber('12')).toBe('000000000000000000012');
    expect(sequenceNumber('300000000000000499659')).toBe('300000000000000499659');
  });

  test('an answer about a stream has them in all places, without the checksum of the engine’s text', () => {
    const ofEngine = {
      Records: [{ dynamodb: { SequenceNumber: '9', Keys: { id: { S: '9' } } } }],
      Shards: [{ SequenceNumberRange: { StartingSequenceNumber: '1', EndingSequenceNumber: '10' } }],
    };
    const headers = { 'content-type': 'application/x-amz-json-1.0' };
    const answer = { status: 200, headers: { ...headers, 'x-amz-crc32': '1' }, body: JSON.stringify(ofEngine) };
    const { body, ...rest } = withSequenceNumbers(answer);
    expect(rest).toEqual({ status: 200, headers });
    expect(JSON.parse(String(body))).toEqual({
      Records: [{ dynamodb: { SequenceNumber: sequenceNumber('9'), Keys: { id: { S: '9' } } } }],
      Shards: [
        {
          SequenceNumberRange: {
            StartingSequenceNumber: sequenceNumber('1'),
            EndingSequenceNumber: sequenceNumber('10'),
          },
        },
      ],
    });
  });
});
