import { setTimeout as pause } from 'node:timers/promises';
import { EventBridgeClient, PutRuleCommand, PutTargetsCommand } from '@aws-sdk/client-eventbridge';
import {
  CreateQueueCommand,
  DeleteMessageCommand,
  GetQueueAttributesCommand,
  ReceiveMessageCommand,
  SetQueueAttributesCommand,
} from '@aws-sdk/client-sqs';
import * as z from 'zod';
import { SERVICE } from '../../../contract/platform';
import { access, queues } from '../../api/stack/aws-access';
import { platformBus, publishPlatformEvent } from '../../channels/platform-events';

const received = z.object({
  'detail-type': z.string(),
  detail: z.looseObject({
    eventId: z.string(),
    jobId: z.string().optional(),
    version: z.number().optional(),
    status: z.string().optional(),
    name: z.string().optional(),
    scheduledAt: z.string().optional(),
    shareId: z.string().optional(),
  }),
});
type Received = z.output<typeof received>;

/** A platform that does what docs/platform.md says and remembers nothing else: not even which jobs it has flown. */
export interface RecordingPlatform {
  /** Takes off for the jobs that wait, and from now on for each that comes. */
  clearForTakeOff(): void;
  /** How often it took off, by job. */
  readonly takeOffs: ReadonlyMap<string, number>;
  /** The latest event of each job. */
  readonly jobs: ReadonlyMap<string, Received>;
  /** Types of all events, without repeats, by job or share. */
  typesOf(id: string): readonly string[];
  /** How many events came again. */
  repeats(): number;
  /** Whether the bus may send to it: while it may not, its events are lost. */
  connect(isConnected: boolean): Promise<void>;
  stop(): Promise<void>;
}

/** @param name of its rule */
export async function startRecordingPlatform(name: string): Promise<RecordingPlatform> {
  const EventBusName = await platformBus();
  const { QueueUrl = '' } = await queues().send(new CreateQueueCommand({ QueueName: name }));
  const AttributeNames = ['QueueArn' as const];
  const { Attributes } = await queues().send(new GetQueueAttributesCommand({ QueueUrl, AttributeNames }));
  const Arn = Attributes?.['QueueArn'] ?? '';
  const events = new EventBridgeClient(access());
  const EventPattern = JSON.stringify({ source: [SERVICE] });
  const { RuleArn } = await events.send(new PutRuleCommand({ Name: name, EventBusName, EventPattern }));

  async function connect(isConnected: boolean): Promise<void> {
    const Statement = {
      Effect: 'Allow',
      Principal: { Service: 'events.amazonaws.com' },
      Action: 'sqs:SendMessage',
      Resource: Arn,
      Condition: { ArnEquals: { 'aws:SourceArn': RuleArn } },
    };
    const Policy = isConnected ? JSON.stringify({ Version: '2012-10-17', Statement: [Statement] }) : '';
    await queues().send(new SetQueueAttributesCommand({ QueueUrl, Attributes: { Policy } }));
  }
  await connect(true);
  await events.send(new PutTargetsCommand({ Rule: name, EventBusName, Targets: [{ Id: 'queue', Arn }] }));

  const seen = new Set<string>();
  const jobs = new Map<string, Received>();
  const takeOffs = new Map<string, number>();
  const types = new Map<string, string[]>();
  const flights: Promise<void>[] = [];
  let repeats = 0;
  let isCleared = false;
  let isStopped = false;

  function handle(event: Received): void {
    const { eventId, jobId, shareId, version = 0 } = event.detail;
    if (seen.has(eventId)) {
      repeats += 1;
      return;
    }
    seen.add(eventId);
    const id = jobId ?? shareId ?? '';
    types.set(id, [...(types.get(id) ?? []), event['detail-type']]);
    if (jobId === undefined || (jobs.get(jobId)?.detail.version ?? 0) >= version) return;
    jobs.set(jobId, event);
    takeOffIfDue(event);
  }

  function takeOffIfDue({ 'detail-type': type, detail: { jobId = '', status, scheduledAt } }: Received): void {
    const isDue = scheduledAt === undefined || Date.parse(scheduledAt) <= Date.now();
    if (!isCleared || !isDue || type === 'job.deleted' || !['PENDING', 'QUEUED'].includes(status ?? '')) return;
    takeOffs.set(jobId, (takeOffs.get(jobId) ?? 0) + 1);
    flights.push(fly(jobId));
  }

  async function listen(): Promise<void> {
    while (!isStopped) {
      const command = new ReceiveMessageCommand({ QueueUrl, WaitTimeSeconds: 1, MaxNumberOfMessages: 10 });
      const { Messages = [] } = await queues().send(command);
      for (const { Body = '', ReceiptHandle } of Messages) {
        handle(received.parse(JSON.parse(Body)));
        await queues().send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle }));
      }
    }
  }
  const listening = listen();

  return {
    takeOffs,
    jobs,
    typesOf: (id) => types.get(id) ?? [],
    repeats: () => repeats,
    connect,
    clearForTakeOff() {
      isCleared = true;
      for (const event of jobs.values()) takeOffIfDue(event);
    },
    async stop() {
      isStopped = true;
      await listening;
      await Promise.all(flights);
    },
  };
}

/** Events of the bus have no order, so that a report may wait for its predecessor otherwise. */
const BETWEEN_REPORTS_MS = 500;

async function fly(jobId: string): Promise<void> {
  for (const status of ['QUEUED', 'IN_PROGRESS', 'COMPLETED']) {
    const now = new Date();
    await publishPlatformEvent('job.status.reported', { jobId, status, at: now.toISOString() }, now);
    await pause(BETWEEN_REPORTS_MS);
  }
}
