import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CreateTableCommand, DynamoDBClient, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { startEngine } from '../local/dynamodb/engine';
import { median, type Measurement } from './figure';

const writes = 20_000;
const sample = 1_000;
const atMost = 1.5;

/**
 * Writes 20,000 items one after the other into a table with a stream, through the engine of the local stack, and
 * compares the medians of the first and of the last 1,000 writes.
 */
export const engineSoak: Measurement = async () => {
  const folder = await mkdtemp(join(tmpdir(), 'engine-soak-'));
  const engine = await startEngine(join(folder, 'dynamodb.sqlite'));
  const client = new DynamoDBClient({
    endpoint: engine.url,
    region: 'eu-central-1',
    credentials: { accessKeyId: 'bench', secretAccessKey: 'bench' },
  });
  try {
    await client.send(
      new CreateTableCommand({
        TableName: 'soak',
        AttributeDefinitions: [{ AttributeName: 'id', AttributeType: 'S' }],
        KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
        BillingMode: 'PAY_PER_REQUEST',
        StreamSpecification: { StreamEnabled: true, StreamViewType: 'NEW_AND_OLD_IMAGES' },
      }),
    );
    const times: number[] = [];
    for (let n = 0; n < writes; n++) {
      const item = { id: { S: `job-${n}` }, name: { S: 'Survey of the north field' }, version: { N: String(n) } };
      const begin = performance.now();
      await client.send(new PutItemCommand({ TableName: 'soak', Item: item }));
      times.push(performance.now() - begin);
    }
    const first = median(times.slice(0, sample));
    const last = median(times.slice(-sample));
    return [
      {
        figure: 'last 1,000 of 20,000 writes with streams on',
        measured: `${last.toFixed(2)} ms, ${(last / first).toFixed(2)} x the first (${first.toFixed(2)} ms)`,
        mustBe: `at most ${atMost} x the first`,
        ok: last / first <= atMost,
      },
    ];
  } finally {
    client.destroy();
    await engine.stop();
    await rm(folder, { recursive: true });
  }
};
