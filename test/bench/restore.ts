import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { CreateTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { BatchWriteCommand, DynamoDBDocumentClient, UpdateCommand, paginateScan } from '@aws-sdk/lib-dynamodb';
import { startEngine } from 'cloud-assembly-runner/dynamodb/engine';
import { restoreItems } from '../../bin/restore-items/restore';
import { isFinal, type JobStatus } from '../../domain/jobs/job-lifecycle';
import type { Measurement } from './support/figure';

const JOBS = 100_000;
const ORGANISATIONS = 10;
/** Of every so many jobs one has been damaged. */
const DAMAGED = 10;
/** Changed by partners and the platform while the restore runs. */
const CHANGED = 1_000;

const key = (number: number) => ({
  organisation: `org${number % ORGANISATIONS}`,
  jobId: `job-${String(number).padStart(6, '0')}`,
});
const job = (number: number) => ({ ...key(number), name: 'as it was', status: 'PENDING', version: 1 });
/** The jobs that change meanwhile, all over the table. */
const changing = Array.from({ length: CHANGED }, (_, index) => index * (JOBS / CHANGED));
/** What becomes of them, one after the other. */
const changes: readonly JobStatus[] = ['CANCELLED', 'QUEUED', 'FAILED'];
const changeOf = (index: number): JobStatus => changes[index % changes.length] ?? 'FAILED';

/** Restores 100,000 jobs of which a tenth is damaged, while 1,000 of them change. */
export const restore: Measurement = async () => {
  const folder = await mkdtemp(join(tmpdir(), 'restore-'));
  const engine = await startEngine(join(folder, 'dynamodb.sqlite'));
  const credentials = { accessKeyId: 'bench', secretAccessKey: 'bench' };
  const client = new DynamoDBClient({ endpoint: engine.url, region: 'eu-central-1', credentials });
  const documents = DynamoDBDocumentClient.from(client);
  const fill = async (TableName: string, itemOf: (number: number) => object) => {
    const keys = ['organisation', 'jobId'];
    await client.send(
      new CreateTableCommand({
        TableName,
        AttributeDefinitions: keys.map((AttributeName) => ({ AttributeName, AttributeType: 'S' })),
        KeySchema: keys.map((AttributeName, index) => ({ AttributeName, KeyType: index === 0 ? 'HASH' : 'RANGE' })),
        BillingMode: 'PAY_PER_REQUEST',
      }),
    );
    for (let from = 0; from < JOBS; from += 25) {
      const puts = Array.from({ length: 25 }, (_, index) => ({ PutRequest: { Item: itemOf(from + index) } }));
      await documents.send(new BatchWriteCommand({ RequestItems: { [TableName]: puts } }));
    }
  };
  const changeMeanwhile = async (isDone: () => boolean) => {
    for (const [index, number] of changing.entries()) {
      await documents.send(
        new UpdateCommand({
          TableName: 'jobs',
          Key: key(number),
          UpdateExpression: 'SET #status = :status ADD version :one',
          ExpressionAttributeNames: { '#status': 'status' },
          ExpressionAttributeValues: { ':status': changeOf(index), ':one': 1 },
        }),
      );
      if (!isDone()) await pause(8);
    }
  };
  try {
    await fill('copy', job);
    await fill('jobs', (number) =>
      number % DAMAGED === 0 ? { ...job(number), name: 'damaged', version: 2 } : job(number),
    );
    let isDone = false;
    const begin = performance.now();
    const told = { changed: 0, again: 0, kept: 0 };
    const at = new Date().toISOString();
    const options = { kind: 'jobs' as const, from: 'copy', to: 'jobs', write: true, at };
    const named = { isNamed: () => false, lastVersion: () => Promise.resolve(0) };
    const [same] = await Promise.all([
      restoreItems(client, { ...options, ...named }, ({ restoration }) => (told[restoration.kind] += 1)).finally(
        () => (isDone = true),
      ),
      changeMeanwhile(() => isDone),
    ]);
    const seconds = (performance.now() - begin) / 1000;
    const statusOf = new Map(changing.map((number, index) => [key(number).jobId, changeOf(index)]));
    const wrong = { lost: 0, resurrected: 0, damaged: 0 };
    for await (const { Items = [] } of paginateScan({ client: documents }, { TableName: 'jobs' }))
      for (const { jobId, name, status } of Items as { jobId: string; name: string; status: JobStatus }[]) {
        const changed = statusOf.get(jobId) ?? 'PENDING';
        if (status !== changed) wrong[isFinal(changed) ? 'resurrected' : 'lost'] += 1;
        // What ended before its turn stays as it was.
        if (name !== 'as it was' && !isFinal(status)) wrong.damaged += 1;
      }
    return [
      {
        figure: `restore of ${JOBS} jobs, ${CHANGED} changed meanwhile`,
        measured: `${seconds.toFixed(0)} s; ${same} the same, ${told.changed} changed, ${told.kept} kept; ${wrong.lost} changes lost, ${wrong.resurrected} resurrected, ${wrong.damaged} still damaged`,
        mustBe: 'none lost, none resurrected, none still damaged',
        ok: wrong.lost + wrong.resurrected + wrong.damaged === 0 && told.changed > 0,
      },
    ];
  } finally {
    client.destroy();
    await engine.stop();
    await rm(folder, { recursive: true });
  }
};
