import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { DynamoDBClient, ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge';
import {
  GetQueueAttributesCommand,
  ListQueuesCommand,
  SendMessageCommand,
  SQSClient,
  type QueueAttributeName,
} from '@aws-sdk/client-sqs';
import { DynamoDBDocumentClient, GetCommand } from '@aws-sdk/lib-dynamodb';
import type { AwsAccess } from 'cloud-assembly-runner';
import type { InboundEvent } from '../../domain/platform/inbound-events';
import { jobStatuses, pathTo, type JobStatus } from '../../domain/jobs/job-lifecycle';
import { follow, subscribeToJobs, type Listener } from './support/followers';
import { median, percentile, type Measured, type Measurement } from './support/figure';
import { findBus, startLocalStack, type LocalStack } from './support/local-stack';
import { onboardClients, type ChannelClient } from './support/many-clients';
import { PLATFORM } from '../../domain/values/service';

const root = join(__dirname, '../..');
const JOBS = 50;
const REPEATED_JOBS = 10;
const REPEATS = 20;
/** A report that comes too early is retried after two seconds, then after a minute; in ms. */
const IDLE_TIMEOUT_MS = 150_000;

interface Setup {
  readonly stack: LocalStack;
  readonly client: ChannelClient;
  readonly platform: PlatformSide;
  /** Data folder of the stack. */
  readonly folder: string;
}

/** Creates a job scheduled for tomorrow: the fleet stores it, and does not fly it. */
async function newJob(client: ChannelClient): Promise<string> {
  const scheduledAt = new Date(Date.now() + 86_400_000).toISOString();
  const body = { name: 'Survey', deviceGroupId: client.deviceGroupId, scheduledAt };
  const { jobId } = await client.api.jobs.create(body);
  return jobId;
}

/** Time from the call that creates a job until the simulated platform has stored it. */
async function jobDelivery({ client, platform }: Setup): Promise<Measured[]> {
  const times: number[] = [];
  for (let index = 0; index < JOBS; index++) {
    const begin = performance.now();
    const jobId = await newJob(client);
    while (!(await platform.hasMission(jobId))) await pause(2);
    times.push(performance.now() - begin);
    await pause(100);
  }
  return [
    {
      figure: 'call that creates a job → platform has stored it',
      measured: `median ${median(times).toFixed(0)} ms, p95 ${percentile(times, 95).toFixed(0)} ms of ${JOBS}`,
      mustBe: 'p95 under 300 ms',
      ok: percentile(times, 95) < 300,
    },
  ];
}

const statusReport = (jobId: string, status: JobStatus): InboundEvent => ({
  type: 'job.status.reported',
  detail: { jobId, status, at: new Date().toISOString() },
});

/** Delivers the same event many times, half of them concurrently, and twice as new events. */
async function repeat(platform: PlatformSide, report: InboundEvent): Promise<void> {
  const id = randomUUID();
  await Promise.all(Array.from({ length: REPEATS / 2 }, () => platform.deliver(id, report)));
  for (let index = 0; index < REPEATS / 2; index++) await platform.deliver(id, report);
  await Promise.all([platform.publish(report), platform.publish(report)]);
}

/** What a follower of a job received after its creation, as `state/sequence`. */
const changesIn = ({ received }: Listener) =>
  received
    .filter(({ jobState }) => jobState !== 'PENDING')
    .map(({ jobState, sequence }) => `${jobState}/${sequence}`)
    .join(' ');

async function waitUntilIdle({ platform }: Setup): Promise<void> {
  const deadline = performance.now() + IDLE_TIMEOUT_MS;
  // Until the bus has invoked the function, which puts into the queue what it can't apply.
  await pause(1000);
  while (!(await platform.isIdle())) {
    if (performance.now() > deadline) throw new Error('the platform’s events are not processed');
    await pause(100);
  }
  // Until the changes have been published.
  await pause(1000);
}

/** Reports of every status, each repeated and out of order; each may take effect once at most. */
async function repeatedReports(setup: Setup): Promise<Measured[]> {
  const { stack, client, platform } = setup;
  const followed = await Promise.all(
    Array.from({ length: REPEATED_JOBS }, async () => {
      const jobId = await newJob(client);
      const listeners = [
        await follow(stack.facts, client, { kind: 'job', id: jobId }),
        await subscribeToJobs(stack.facts, client, [jobId]),
      ];
      return { jobId, listeners };
    }),
  );
  const all = async (status: JobStatus) => {
    await Promise.all(followed.map(({ jobId }) => repeat(platform, statusReport(jobId, status))));
  };
  const way = pathTo('COMPLETED');
  for (const status of way.slice(0, 1)) await all(status);
  await waitUntilIdle(setup);
  // The last status before the one that it depends on: it must be retried.
  await Promise.all(followed.map(({ jobId }) => platform.publish(statusReport(jobId, 'COMPLETED'))));
  for (const status of way.slice(1, -1)) await all(status);
  await waitUntilIdle(setup);
  for (const status of jobStatuses.filter((name) => name !== 'PENDING')) await all(status);
  await waitUntilIdle(setup);

  const right = way.map((status, index) => `${status}/${index + 2}`).join(' ');
  const outcomes = await Promise.all(
    followed.map(async ({ jobId, listeners }) => {
      const { version } = await client.api.jobs.get(jobId);
      return version === way.length + 1 && listeners.every((listener) => changesIn(listener) === right);
    }),
  );
  for (const { listeners } of followed) for (const listener of listeners) listener.close();
  const count = outcomes.filter(Boolean).length;
  return [
    {
      figure: `events ${REPEATS + 2} times each, also late, early and contradictory, to ${REPEATED_JOBS} jobs`,
      measured: `${count} of ${REPEATED_JOBS} jobs changed once and published it once, over WSS and MQTTS`,
      mustBe: 'all',
      ok: count === REPEATED_JOBS,
    },
  ];
}

/** Time of `npm run partner -- onboard`. */
async function onboarding({ folder }: Setup): Promise<Measured[]> {
  const times: number[] = [];
  for (const name of ['First', 'Second', 'Third']) {
    const words = ['onboard', '--local', '--organisation', `${name} Survey`, '--client', 'survey', '--scopes', 'all'];
    const begin = performance.now();
    const env = { ...process.env, LOCAL_DIR: folder };
    await promisify(execFile)('npm', ['run', '--silent', 'partner', '--', ...words], { cwd: root, env });
    times.push(performance.now() - begin);
  }
  return [
    {
      figure: 'onboarding a partner, one command',
      measured: `at most ${(Math.max(...times) / 1000).toFixed(1)} s of ${times.length}`,
      mustBe: 'under 10 s',
      ok: Math.max(...times) < 10_000,
    },
  ];
}

/** The integration with the drone platform on a local stack, with the simulated fleet as platform. */
export const platformIntegration: Measurement = async () => {
  const folder = await mkdtemp(join(tmpdir(), 'platform-'));
  const stack = await startLocalStack(root, folder, ['--memory', '--fleet-speed', '1']);
  try {
    // Each may create 60 jobs a minute.
    const [client, other] = await onboardClients(folder, stack.facts.baseUrl, 2);
    if (!client || !other) throw new Error('no client was onboarded');
    const setup: Setup = { stack, client, platform: await connectAsPlatform(stack.access), folder };
    const measured = await jobDelivery(setup);

    return [...measured, ...(await repeatedReports({ ...setup, client: other })), ...(await onboarding(setup))];
  } finally {
    await stack.stop();
    await rm(folder, { recursive: true });
  }
};

/** The bus of a running stack, used as the platform. */
interface PlatformSide {
  /** Publishes a report as a new event. */
  publish(report: InboundEvent): Promise<void>;
  /** Delivers an event to the queue, like one that is retried, possibly more than once with the same id. */
  deliver(id: string, report: InboundEvent): Promise<void>;
  /** Whether all published events have been processed; those waiting for a retry have not. */
  isIdle(): Promise<boolean>;
  /** Whether the simulated platform has stored a job. */
  hasMission(jobId: string): Promise<boolean>;
}

const expectFound = (what: string, name: string | undefined): string => {
  if (name === undefined) throw new Error(`the stack has no ${what}`);
  return name;
};

/** For a stack with a simulated fleet. */
async function connectAsPlatform(access: AwsAccess): Promise<PlatformSide> {
  const { bus: EventBusName, options } = await findBus(access);
  const [bus, queues] = [new EventBridgeClient(options), new SQSClient(options)];
  const database = DynamoDBDocumentClient.from(new DynamoDBClient(options));
  const { QueueUrls = [] } = await queues.send(new ListQueuesCommand());
  const QueueUrl = expectFound(
    'queue',
    QueueUrls.find((url) => /PlatformIntegrationInboundEvents(?!Failures)/.test(url)),
  );
  const { TableNames = [] } = await database.send(new ListTablesCommand());
  const TableName = expectFound(
    'missions',
    TableNames.find((name) => name.includes('SimulatedFleetMissions')),
  );

  return {
    async publish({ type, detail }) {
      const entry = { EventBusName, Source: PLATFORM, DetailType: type, Detail: JSON.stringify(detail) };
      await bus.send(new PutEventsCommand({ Entries: [entry] }));
    },
    async deliver(id, { type, detail }) {
      const event = { version: '0', id, source: PLATFORM, 'detail-type': type, time: new Date().toISOString(), detail };
      await queues.send(new SendMessageCommand({ QueueUrl, MessageBody: JSON.stringify(event) }));
    },
    async isIdle() {
      const { Attributes = {} } = await queues.send(
        new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['All'] }),
      );
      const names = (['', 'NotVisible', 'Delayed'] as const).map(
        (state): QueueAttributeName => `ApproximateNumberOfMessages${state}`,
      );
      return names.every((name) => Attributes[name] === '0');
    },
    async hasMission(jobId) {
      const { Item } = await database.send(new GetCommand({ TableName, Key: { jobId }, ConsistentRead: true }));
      return Item !== undefined;
    },
  };
}
