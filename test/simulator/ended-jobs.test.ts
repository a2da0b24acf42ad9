import { CreateTableCommand } from '@aws-sdk/client-dynamodb';
import { EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge';
import { mockClient } from 'aws-sdk-client-mock';
import { EVENT_VERSION } from '../../domain/platform/outbound-events';
import { handler } from '../../packages/simulator/consume-job-events';
import { readOpenItems } from '../../packages/simulator/open-items';
import { endMission } from '../../packages/simulator/missions';
import { dynamodb } from '../../packages/simulator/table';
import { tick } from '../../packages/simulator/tick';
import { engineUrl } from '../data/engines/own-engine';
import { id } from '../domain/fixtures/samples';

/** The table of missions is on an engine that evaluates its conditions. */
beforeAll(async () => {
  Object.assign(process.env, {
    SEED: 'test',
    MISSIONS_TABLE: 'simulated-missions',
    PLATFORM_BUS: 'bus',
    AWS_ENDPOINT_URL_DYNAMODB: engineUrl(),
    AWS_REGION: 'eu-central-1',
    AWS_ACCESS_KEY_ID: 'AKIAIOSFODNN7EXAMPLE',
    AWS_SECRET_ACCESS_KEY: 'example',
  });
  await dynamodb.send(
    new CreateTableCommand({
      TableName: 'simulated-missions',
      BillingMode: 'PAY_PER_REQUEST',
      KeySchema: [{ AttributeName: 'jobId', KeyType: 'HASH' }],
      AttributeDefinitions: [{ AttributeName: 'jobId', AttributeType: 'S' }],
    }),
  );
});
afterAll(() => dynamodb.destroy());

beforeEach(() => {
  jest.useFakeTimers({ now: new Date(at), doNotFake: ['nextTick', 'setImmediate', 'setTimeout', 'clearTimeout'] });
});
afterEach(async () => {
  jest.useRealTimers();
  // Otherwise the device would still be on its way home for the job of the test before.
  for (const { jobId } of (await readOpenItems()).missions) await endMission(jobId, new Date());
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

/**
 * How far the mission of a job has come: its first event is still on its way, or a device has it at these seconds. And
 * how many missions a device has after the end of the job: it comes home, or stays, and says nothing of the job
 * meanwhile.
 */
const stages = [
  ['whose creation comes later', undefined, [0, 0, 0]],
  ['that waits', [], [0, 0, 0]],
  ['that was just assigned', [0], [1, 1, 0]],
  ['that has taken off', [0, 30], [1, 1, 1]],
] as const;
const ends = [
  ['job.cancelled', 'CANCELLED'],
  ['job.updated', 'COMPLETED'],
  ['job.updated', 'FAILED'],
] as const;
const cases = stages.flatMap(([stage, seconds, after]) =>
  ends.map(([type, status]) => ({ stage, seconds, after, type, status })),
);

test.each(cases.map((one, number) => ({ ...one, number })))(
  'a mission $stage is flown no more when its partner has made the job $status, and not begun again by what comes late',
  async ({ seconds, after, type, status, number }) => {
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
      jest.setSystemTime(now);
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
    const next = Math.max(0, ...(seconds ?? [])) + 1;
    for (const second of [next, 60, 90]) flights.push((await fly(second)).size);
    expect(flights).toEqual(after);
    expect(published()).toBe(reports);
  },
);
