import { execFileSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BatchWriteItemCommand, CreateTableCommand, DynamoDBClient, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { ScanCommand, type AttributeValue } from '@aws-sdk/client-dynamodb';
import { restoreItems } from '../../bin/restore-items/restore';
import { startEngine, type DynamoDbEngine } from 'cloud-assembly-runner/dynamodb/engine';

type Item = Record<string, AttributeValue>;

const job = (number: number, status: string): Item => ({
  organisation: { S: 'acme' },
  jobId: { S: `job-${String(number).padStart(3, '0')}` },
  status: { S: status },
  // Types that the document client would convert with loss.
  metadata: { M: { seen: { NS: ['1', '2'] }, height: { N: '12345678901234567890.5' } } },
});

describe('restoreItems', () => {
  let folder: string;
  let engine: DynamoDbEngine;
  let client: DynamoDBClient;
  const credentials = { accessKeyId: 'AKIAIOSFODNN7EXAMPLE', secretAccessKey: 'example' };

  const makeTable = async (TableName: string, items: readonly Item[], rangeKey = 'jobId') => {
    const keys = ['organisation', rangeKey];
    await client.send(
      new CreateTableCommand({
        TableName,
        AttributeDefinitions: keys.map((AttributeName) => ({ AttributeName, AttributeType: 'S' })),
        KeySchema: keys.map((AttributeName, index) => ({ AttributeName, KeyType: index === 0 ? 'HASH' : 'RANGE' })),
        BillingMode: 'PAY_PER_REQUEST',
      }),
    );
    for (const Item of items) await client.send(new PutItemCommand({ TableName, Item }));
  };
  const itemsOf = async (TableName: string) => (await client.send(new ScanCommand({ TableName }))).Items;

  const restored = Array.from({ length: 60 }, (_, number) => job(number, 'PENDING'));
  // Ten have changed since, one was deleted, one is new.
  const current = [
    ...restored.slice(1).map((item, index) => (index < 10 ? job(index + 1, 'FAILED') : item)),
    job(100, 'NEW'),
  ];

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'restore-items-'));
    engine = await startEngine(join(folder, 'dynamodb.sqlite'));
    client = new DynamoDBClient({ endpoint: engine.url, region: 'eu-central-1', credentials });
    await makeTable('were', restored);
  });
  afterAll(async () => {
    client.destroy();
    await engine.stop();
    await rm(folder, { recursive: true });
  });

  test('only counts without `write`', async () => {
    await makeTable('counted', current);
    const counted = { from: 'were', to: 'counted', deleteOthers: true, write: false };
    expect(await restoreItems(client, counted)).toEqual({ same: 49, put: 11, deleted: 1 });
    expect(await itemsOf('counted')).toEqual(current);
  });

  test('puts items that differ, and keeps newer ones', async () => {
    await makeTable('kept', current);
    const kept = { from: 'were', to: 'kept', deleteOthers: false, write: true };
    expect(await restoreItems(client, kept)).toEqual({ same: 49, put: 11, deleted: 0 });
    expect(await itemsOf('kept')).toEqual([...restored, job(100, 'NEW')]);
    expect(await restoreItems(client, kept)).toEqual({ same: 60, put: 0, deleted: 0 });
  });

  test('deletes other items with --delete-others, through the command', async () => {
    await makeTable('exact', current);
    const words = ['--from', 'were', '--to', 'exact', '--delete-others', '--write'];
    const output = execFileSync(process.execPath, ['--import', 'tsx', 'bin/restore-items.ts', ...words], {
      cwd: join(__dirname, '../..'),
      encoding: 'utf8',
      env: {
        ...process.env,
        AWS_ENDPOINT_URL: engine.url,
        AWS_REGION: 'eu-central-1',
        AWS_ACCESS_KEY_ID: credentials.accessKeyId,
        AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
      },
    });
    expect(output).toBe('49 unchanged, 11 put, 1 deleted\n');
    expect(await itemsOf('exact')).toEqual(restored);
  });

  test('retries unprocessed items of a batch', async () => {
    await makeTable('refused', []);
    let undone = 1;
    const refusing = {
      send: (command: BatchWriteItemCommand | ScanCommand) => {
        if (undone === 0 || command instanceof ScanCommand) return client.send(command as ScanCommand);
        if (!(command instanceof BatchWriteItemCommand)) return client.send(command);
        undone -= 1;
        return Promise.resolve({ UnprocessedItems: command.input.RequestItems });
      },
    } as unknown as DynamoDBClient;
    const refused = { from: 'were', to: 'refused', deleteOthers: false, write: true };
    expect(await restoreItems(refusing, refused)).toEqual({ same: 0, put: 60, deleted: 0 });
    expect(undone).toBe(0);
    expect(await itemsOf('refused')).toEqual(restored);
  });

  test('refuses a target with other keys, and the source itself', async () => {
    await makeTable('devices', [], 'id');
    const write = { from: 'were', deleteOthers: true, write: true };
    await expect(restoreItems(client, { ...write, to: 'devices' })).rejects.toThrow('were is not a copy of devices');
    await expect(restoreItems(client, { ...write, to: 'were' })).rejects.toThrow('were is not a copy of were');
    expect(await itemsOf('were')).toHaveLength(60);
  });
});
