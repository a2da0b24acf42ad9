/**
 * Amazon SQS (API reference): standard queues with delays, visibility timeout, retention and dead-letter queues.
 */
import * as z from 'zod';
import { failure } from '../aws-endpoint/aws-error';
import { noMeter, stepsOf, type Meter } from '../billing/meter';
import { propertiesOf } from '../cloudformation/properties';
import type { AwsAnswer, AwsApi, AwsCall, Created, Resource, Service } from '../service';
import { openMessageStore, type JournalEntry, type MessageStore } from './message-store';
import type { MessageAttributes } from './message';
import { operations, SqsError } from './operations';
import { createQueue, type Queue } from './queue';
import { allowsSend, parseQueuePolicy, type QueuePolicy } from './queue-policy';

export type { Queue } from './queue';

export interface SqsOptions {
  readonly region: string;
  readonly accountId: string;
  /** Base of the queue URLs: the endpoint that this API is called at. */
  readonly endpointUrl: string;
  /** Where messages are kept across restarts. */
  readonly dataFolder: string;
  /** Default: none. */
  readonly meter?: Meter;
}

export interface Sqs extends Service, AwsApi {
  /** Sends a message on behalf of another service; the meter counts it for the queue. @returns its id @throws Error when the queue does not exist */
  send(queueArn: string, body: string, attributes?: MessageAttributes): string;
  queue(queueArn: string): Queue | undefined;
  /** Whether the queue's policy allows a service such as `events.amazonaws.com` to send on behalf of an ARN. */
  permits(queueArn: string, service: string, sourceArn: string): boolean;
}

const queueProperties = z.object({
  QueueName: z
    .string()
    .regex(/^[\w-]{1,80}$/, 'a name has at most 80 letters, digits, hyphens and underscores')
    .optional(),
  FifoQueue: z.literal(false).optional(),
  VisibilityTimeout: z.number().int().min(0).max(43_200).default(30),
  DelaySeconds: z.number().int().min(0).max(900).default(0),
  MessageRetentionPeriod: z.number().int().min(60).max(1_209_600).default(345_600),
  MaximumMessageSize: z.number().int().min(1024).max(1_048_576).default(1_048_576),
  RedrivePolicy: z
    .object({ deadLetterTargetArn: z.string(), maxReceiveCount: z.coerce.number().int().min(1).max(1000) })
    .optional(),
});
const policyProperties = z.object({ PolicyDocument: z.unknown(), Queues: z.array(z.string()) });
const queueReference = z.object({ QueueUrl: z.string().optional(), QueueName: z.string().optional() });

/** SQS for the queues of one template. Of queue policies, only what they allow AWS services is evaluated. */
export function createSqs({ region, accountId, endpointUrl, dataFolder, meter = noMeter }: SqsOptions): Sqs {
  /** By name. */
  const queues = new Map<string, Queue>();
  /** By the URL of the queue. */
  const policies = new Map<string, QueuePolicy>();
  let store: MessageStore | undefined;
  const arnOf = (name: string) => `arn:aws:sqs:${region}:${accountId}:${name}`;
  const queueAt = (arn: string) => [...queues.values()].find((one) => one.arn === arn);

  function add(resource: Resource): Created {
    const properties = propertiesOf(resource, queueProperties);
    const { QueueName: name = resource.logicalId, RedrivePolicy } = properties;
    const url = `${endpointUrl}/${accountId}/${name}`;
    const settings = {
      name,
      arn: arnOf(name),
      url,
      visibilityTimeout: properties.VisibilityTimeout,
      delay: properties.DelaySeconds,
      retention: properties.MessageRetentionPeriod,
      maxBytes: properties.MaximumMessageSize,
      record: (entry: JournalEntry) => store?.append(entry),
    };
    if (!RedrivePolicy) queues.set(name, createQueue(settings));
    else {
      const to = queueAt(RedrivePolicy.deadLetterTargetArn);
      if (!to) throw new Error(`${resource.logicalId}: there is no queue ${RedrivePolicy.deadLetterTargetArn}`);
      queues.set(name, createQueue({ ...settings, redrive: { maxReceiveCount: RedrivePolicy.maxReceiveCount, to } }));
    }
    return { ref: url, attributes: { Arn: arnOf(name), QueueName: name, QueueUrl: url } };
  }

  return {
    types: ['AWS::SQS::Queue', 'AWS::SQS::QueuePolicy'],
    signingName: 'sqs',
    queue: queueAt,

    create(resource) {
      if (resource.type === 'AWS::SQS::Queue') return add(resource);
      const { PolicyDocument, Queues } = propertiesOf(resource, policyProperties);
      for (const url of Queues) policies.set(url, parseQueuePolicy(PolicyDocument));
      return { ref: resource.logicalId };
    },

    start() {
      const messages = openMessageStore(dataFolder, () =>
        Object.fromEntries([...queues].map(([name, queue]) => [name, queue.stored])),
      );
      for (const [name, queue] of queues) for (const message of messages.of(name)) queue.enqueue(message);
      store = messages;
      store.compact();
      return Promise.resolve();
    },

    stop() {
      store?.compact();
      store?.close();
      store = undefined;
      return Promise.resolve();
    },

    send(queueArn, body, attributes) {
      const queue = queueAt(queueArn);
      if (!queue) throw new Error(`There is no queue ${queueArn}`);
      meter.charge(queue.name, { 'sqs:requests': requestsOf(Buffer.byteLength(body)) });
      return queue.send(body, attributes).id;
    },

    permits(queueArn, service, sourceArn) {
      const policy = policies.get(queueAt(queueArn)?.url ?? '');
      return policy !== undefined && allowsSend(policy, service, sourceArn);
    },

    permissions(call) {
      const name = queueNameIn(call);
      // The batch form of an operation needs the permission for the operation itself.
      const action = `sqs:${operationOf(call).replace(/Batch$/, '')}`;
      return [{ action, resource: name === undefined ? '*' : arnOf(name) }];
    },

    async answer(call) {
      if (operationOf(call) === 'ListQueues') return json({ QueueUrls: [...queues.values()].map(({ url }) => url) });
      const operation = Object.hasOwn(operations, operationOf(call)) ? operations[operationOf(call)] : undefined;
      const queue = queues.get(queueNameIn(call) ?? '');
      try {
        if (!operation) {
          throw new SqsError('UnsupportedOperation', `${operationOf(call)} is not supported on this machine`);
        }
        if (bodyOf(call) === undefined) throw new SqsError('InvalidParameterValue', 'The request is not JSON.');
        if (!queue) throw new SqsError('QueueDoesNotExist', 'The specified queue does not exist.');
        const answer = json(await operation(queue, bodyOf(call), traceHeaderOf(call)));
        const bytes = Math.max(call.body.length, Buffer.byteLength(answer.body));
        return { ...answer, charges: { 'sqs:requests': requestsOf(bytes) } };
      } catch (error) {
        if (error instanceof SqsError) return failure('json', 400, error.code, error.message);
        throw error;
      }
    },
  };
}

/** SQS pricing: 64 KB of payload are a request. */
const METERED_BYTES = 64 * 1024;

/** Number of requests that a payload is charged as. */
export function requestsOf(bytes: number): number {
  return stepsOf(bytes, METERED_BYTES);
}

function queueNameIn(call: AwsCall): string | undefined {
  const named = queueReference.safeParse(bodyOf(call)).data;
  return named?.QueueName ?? named?.QueueUrl?.slice(named.QueueUrl.lastIndexOf('/') + 1);
}

function operationOf({ headers }: AwsCall): string {
  const target = String(headers['x-amz-target']);
  return target.slice(target.lastIndexOf('.') + 1);
}

function traceHeaderOf({ headers }: AwsCall): string | undefined {
  const header = headers['x-amzn-trace-id'];
  return typeof header === 'string' ? header : undefined;
}

function bodyOf({ body }: AwsCall): unknown {
  try {
    return JSON.parse(body.toString());
  } catch {
    return undefined;
  }
}

function json(value: object): AwsAnswer {
  return { status: 200, headers: { 'content-type': 'application/x-amz-json-1.0' }, body: JSON.stringify(value) };
}
