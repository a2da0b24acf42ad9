import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CreateTableCommand, DynamoDBClient, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { startEngine } from 'cloud-assembly-runner/dynamodb/engine';
import { median, type Measurement } from './support/figure';

const WRITES = 20_000;
const SAMPLE_SIZE = 1_000;
const MAX_RATIO = 1.5;

/**
 * Writes 20,000 items one after the other into a table with a stream, using the local stack's engine, and compares the
 * medians of the first and the last 1,000 writes.
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
    for (let n = 0; n < WRITES; n++) {
      const item = { id: { S: `job-${n}` }, name: { S: 'Survey of the north field' }, version: { N: String(n) } };
      const begin = performance.now();
      await client.send(new PutItemCommand({ TableName: 'soak', Item: item }));
      times.push(performance.now() - begin);
    }
    const first = median(times.slice(0, SAMPLE_SIZE));
    const last = median(times.slice(-SAMPLE_SIZE));
    return [
      {
        figure: 'last 1,000 of 20,000 writes with streams on',
        measured: `${last.toFixed(2)} ms, ${(last / first).toFixed(2)} x the first (${first.toFixed(2)} ms)`,
        mustBe: `at most ${MAX_RATIO} x the first`,
        ok: last / first <= MAX_RATIO,
      },
    ];
  } finally {
    client.destroy();
    await engine.stop();
    await rm(folder, { recursive: true });
  }
};
