import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CreateTableCommand } from '@aws-sdk/client-dynamodb';
import { EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge';
import { mockClient } from 'aws-sdk-client-mock';
import { startEngine, type DynamoDbEngine } from 'cloud-assembly-runner/dynamodb/engine';
import { EVENT_VERSION } from '../../contract/platform';
import { handler } from '../../simulator/consume-job-events';
import { readOpenItems } from '../../simulator/open-items';
import { dynamodb } from '../../simulator/table';
import { tick } from '../../simulator/tick';
import { id } from '../domain/fixtures/samples';

let folder: string;
let engine: DynamoDbEngine;

/** The table of missions is on an engine that evaluates its conditions. */
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'missions-'));
  engine = await startEngine(join(folder, 'dynamodb.sqlite'));
  Object.assign(process.env, {
    SEED: 'test',
    MISSIONS_TABLE: 'missions',
    PLATFORM_BUS: 'bus',
    AWS_ENDPOINT_URL_DYNAMODB: engine.url,
    AWS_REGION: 'eu-central-1',
    AWS_ACCESS_KEY_ID: 'AKIAIOSFODNN7EXAMPLE',
    AWS_SECRET_ACCESS_KEY: 'example',
  });
  await dynamodb.send(
    new CreateTableCommand({
      TableName: 'missions',
      BillingMode: 'PAY_PER_REQUEST',
      KeySchema: [{ AttributeName: 'jobId', KeyType: 'HASH' }],
      AttributeDefinitions: [{ AttributeName: 'jobId', AttributeType: 'S' }],
    }),
  );
});
afterAll(async () => {
  dynamodb.destroy();
  await engine.stop();
  await rm(folder, { recursive: true });
});

const bus = mockClient(EventBridgeClient);
beforeEach(() => {
  bus.reset();
  bus.on(PutEventsCommand).resolves({ FailedEntryCount: 0 });
});

const at = '2026-11-27T10:31:07.250Z';
const deviceGroupId = id('group');
const fleet = {
  seed: 'test',
  speed: 1,
  devices: [{ kind: 'device' as const, deviceId: id('device'), deviceGroupId }],
  idleReports: false,
};

const published = () => bus.commandCalls(PutEventsCommand).length;

/** How far the mission of a job has come: its first event is still on its way, or a device has it at these seconds. */
const stages = [
  ['whose creation comes later', undefined],
  ['that waits', []],
  ['that was just assigned', [0]],
  ['that has taken off', [0, 30]],
] as const;
const ends = [
  ['job.cancelled', 'CANCELLED'],
  ['job.updated', 'COMPLETED'],
  ['job.updated', 'FAILED'],
] as const;
const cases = stages.flatMap(([stage, seconds]) => ends.map(([type, status]) => ({ stage, seconds, type, status })));

test.each(cases.map((one, number) => ({ ...one, number })))(
  'a mission $stage is flown no more when its partner has made the job $status, and not begun again by what comes late',
  async ({ seconds, type, status, number }) => {
    const jobId = id('job', undefined, String(number).padStart(26, '0'));
    const job = {
      eventVersion: EVENT_VERSION,
      organisationId: 'org-acme0001',
      at,
      jobId,
      deviceGroupId,
      name: 'Survey',
    };
    const consume = (detailType: string, more: object) =>
      handler({ 'detail-type': detailType, detail: { eventId: 'event', ...job, priority: 5, ...more } } as never);
    const created = () => consume('job.created', { version: 1, status: 'PENDING' });
    const fly = async (second: number) => {
      const now = new Date(Date.parse(at) + second * 1000);
      return tick(await readOpenItems(), fleet, now);
    };

    if (seconds) await created();
    for (const second of seconds ?? []) expect((await fly(second)).size).toBe(1);
    const reports = published();
    expect(reports).toBe(seconds?.length ?? 0);

    await consume(type, { version: 3, status });
    await created();
    await consume('job.updated', { version: 2, status: 'PENDING' });
    const flights: number[] = [];
    for (const second of [31, 60, 90]) flights.push((await fly(second)).size);
    // A drone in the air comes home, and says nothing of the job on its way.
    const isUp = seconds?.some((second) => second > 0) ?? false;
    expect(flights).toEqual(isUp ? [1, expect.any(Number), expect.any(Number)] : [0, 0, 0]);
    expect(published()).toBe(reports);
  },
);
