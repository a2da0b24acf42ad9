import { CreateTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, PutCommand, TransactWriteCommand } from '@aws-sdk/lib-dynamodb';
import { startEngine, type DynamoDbEngine } from 'cloud-assembly-runner/dynamodb/engine';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { acme, rival } from '../../domain/fixtures/samples';
import { store } from '../fixtures/store';
import { command, job, jobs, newInstance, range } from './instances';
import { givenLogTable } from './log-table';

let folder: string;
let engine: DynamoDbEngine;
let client: DynamoDBClient;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'write-units-'));
  engine = await startEngine(join(folder, 'dynamodb.sqlite'));
  const credentials = { accessKeyId: 'AKIAIOSFODNN7EXAMPLE', secretAccessKey: 'example' };
  client = new DynamoDBClient({ endpoint: engine.url, region: 'eu-central-1', credentials });
  const number = { AttributeName: 'number', KeyType: 'RANGE' } as const;
  await client.send(
    new CreateTableCommand({
      TableName: 'events',
      AttributeDefinitions: [
        { AttributeName: 'log', AttributeType: 'S' },
        { AttributeName: 'channel', AttributeType: 'S' },
        { AttributeName: 'number', AttributeType: 'N' },
      ],
      KeySchema: [{ AttributeName: 'log', KeyType: 'HASH' }, number],
      GlobalSecondaryIndexes: [
        {
          IndexName: 'by-channel',
          KeySchema: [{ AttributeName: 'channel', KeyType: 'HASH' }, number],
          Projection: { ProjectionType: 'ALL' },
        },
      ],
      BillingMode: 'PAY_PER_REQUEST',
    }),
  );
});
afterAll(async () => {
  client.destroy();
  await engine.stop();
  await rm(folder, { recursive: true });
});

describe('Write units', () => {
  test.each([
    ['two for a change on its own, its index included', acme, job(2), 2],
    ['one for that of a command, which is in no index', rival, command(2), 1],
  ])('are %s', async (_, organisation, change, units) => {
    givenLogTable();
    const { appendEvents } = await newInstance();
    await appendEvents(organisation, [job(1)]);
    await appendEvents(organisation, [change]);
    const [put] = store.commandCalls(PutCommand);
    if (!put) throw new Error('the event was not put');
    const { ConsumedCapacity } = await DynamoDBDocumentClient.from(client).send(
      new PutCommand({ ...put.args[0].input, ReturnConsumedCapacity: 'TOTAL' }),
    );
    expect(ConsumedCapacity?.CapacityUnits).toBe(units);
  });

  test.each([
    ['three for a change of a batch', acme, job, 3],
    ['two for that of a command', rival, command, 2],
  ])('are %s', async (_, organisation, changeOf, units) => {
    givenLogTable();
    const { appendEvents } = await newInstance();
    await appendEvents(organisation, jobs(1, 9));
    await appendEvents(
      organisation,
      range(10, 19).map((number) => changeOf(number)),
    );
    const transaction = store.commandCalls(TransactWriteCommand).at(-1);
    if (!transaction) throw new Error('the events were not written together');
    const { ConsumedCapacity } = await DynamoDBDocumentClient.from(client).send(
      new TransactWriteCommand({ ...transaction.args[0].input, ReturnConsumedCapacity: 'TOTAL' }),
    );
    expect(ConsumedCapacity?.[0]?.CapacityUnits).toBe(units * 10);
  });
});
