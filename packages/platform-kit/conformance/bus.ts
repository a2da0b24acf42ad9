import { EventBridgeClient, PutEventsCommand, PutRuleCommand, PutTargetsCommand } from '@aws-sdk/client-eventbridge';
import {
  CreateQueueCommand,
  DeleteMessageCommand,
  ReceiveMessageCommand,
  SetQueueAttributesCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import * as z from 'zod';
import { EVENT_VERSION, outboundEvents, type OutboundEventType } from '../../../domain/platform/outbound-events';
import { PLATFORM, SERVICE } from '../../../domain/values/service';

/** Where the calls of the AWS SDK go. */
export interface Access {
  readonly endpoint: string;
  readonly region: string;
  readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string };
}

const heard = z.object({ 'detail-type': z.string(), detail: z.record(z.string(), z.unknown()) });

/** An event of the platform. */
export interface Heard {
  readonly type: string;
  readonly detail: Readonly<Record<string, unknown>>;
  /** When it was received, in ms. */
  readonly at: number;
}

/** A service's side of the bus: publishes as the service, and receives what the platform publishes. */
export class Bus {
  /** Everything received, in its order. */
  readonly heard: Heard[] = [];

  private constructor(
    private readonly arn: string,
    private readonly events: EventBridgeClient,
    private readonly sqs: SQSClient,
    private readonly queueUrl: string,
  ) {}

  /** Subscribes to the platform's events by a queue and a rule of its own. */
  static async open(arn: string, access: Access): Promise<Bus> {
    const [events, sqs] = [new EventBridgeClient(access), new SQSClient(access)];
    const name = 'conformance';
    const EventBusName = arn.split('event-bus/')[1];
    const pattern = JSON.stringify({ source: [PLATFORM] });
    const { RuleArn } = await events.send(new PutRuleCommand({ Name: name, EventBusName, EventPattern: pattern }));
    const { QueueUrl = '' } = await sqs.send(new CreateQueueCommand({ QueueName: name }));
    const queueArn = arn.replace(':events:', ':sqs:').replace(/:event-bus\/.*$/, `:${name}`);
    const allowed = { Effect: 'Allow', Principal: { Service: 'events.amazonaws.com' }, Action: 'sqs:SendMessage' };
    const Statement = [{ ...allowed, Resource: queueArn, Condition: { ArnEquals: { 'aws:SourceArn': RuleArn } } }];
    const Policy = JSON.stringify({ Version: '2012-10-17', Statement });
    await sqs.send(new SetQueueAttributesCommand({ QueueUrl, Attributes: { Policy } }));
    await events.send(new PutTargetsCommand({ Rule: name, EventBusName, Targets: [{ Id: name, Arn: queueArn }] }));
    return new Bus(arn, events, sqs, QueueUrl);
  }

  /** Publishes an event as the service. @throws ZodError for one that the service would not publish so */
  async publish(type: string, given: object): Promise<void> {
    const detail = { eventVersion: EVENT_VERSION, ...given };
    if (Object.hasOwn(outboundEvents, type)) outboundEvents[type as OutboundEventType].parse(detail);
    const entry = { EventBusName: this.arn, Source: SERVICE, DetailType: type, Detail: JSON.stringify(detail) };
    const { FailedEntryCount } = await this.events.send(new PutEventsCommand({ Entries: [entry] }));
    if (FailedEntryCount) throw new Error(`The bus refused ${type}`);
  }

  /** Receives for up to a second. */
  async receive(): Promise<void> {
    const from = { QueueUrl: this.queueUrl };
    const some = { ...from, MaxNumberOfMessages: 10, WaitTimeSeconds: 1 };
    const { Messages = [] } = await this.sqs.send(new ReceiveMessageCommand(some));
    for (const { Body = '', ReceiptHandle } of Messages) {
      const { 'detail-type': type, detail } = heard.parse(JSON.parse(Body));
      this.heard.push({ type, detail, at: Date.now() });
      await this.sqs.send(new DeleteMessageCommand({ ...from, ReceiptHandle }));
    }
  }

  /** Receives until `found` holds or the time is over. @returns whether it holds */
  async until(found: () => boolean, seconds: number): Promise<boolean> {
    const deadline = Date.now() + seconds * 1000;
    while (!found() && Date.now() < deadline) await this.receive();
    return found();
  }

  close(): void {
    this.events.destroy();
    this.sqs.destroy();
  }
}

/** A device as the platform registered it. */
export interface Device {
  readonly deviceId: string;
  readonly deviceGroupId: string;
}

/** A job that the run publishes, by its latest version. */
export interface PlayedJob {
  readonly jobId: string;
  readonly deviceGroupId: string;
  readonly deviceId?: string;
  readonly priority: number;
  readonly scheduledAt?: string;
  readonly version: number;
}

/** What the run expects of a job. */
export type Expectation = 'ends' | 'is not begun' | 'is stopped';

/** The jobs of a run, published as the service publishes them. */
export class JobBook {
  readonly jobs = new Map<string, PlayedJob>();
  readonly expectations = new Map<string, Expectation>();

  constructor(
    private readonly bus: Bus,
    readonly tag: string,
  ) {}

  /** Adds a job that the platform does not know yet. */
  add(name: string, device: Device, fields: Partial<PlayedJob> = {}, expected: Expectation = 'ends'): PlayedJob {
    // Identifiers sort by age, as those of the service do.
    const number = String(this.jobs.size).padStart(6, '0');
    const jobId = `job-${this.tag}-01conformance${number}${name}`.padEnd(39, '0');
    const job = { jobId, deviceGroupId: device.deviceGroupId, priority: 5, version: 1, ...fields };
    this.jobs.set(jobId, job);
    this.expectations.set(jobId, expected);
    return job;
  }

  /** Publishes an event of a job. @param more fields that the schema does not have, or another status */
  publish(type: string, job: PlayedJob, more: object = {}): Promise<void> {
    const { jobId, version } = job;
    const common = { eventId: `${jobId}/${version}`, organisationId: `org-${this.tag}`, at: new Date().toISOString() };
    return this.bus.publish(type, { ...common, status: 'PENDING', name: 'Conformance', ...job, ...more });
  }
}
