/**
 * Amazon SQS (API reference): standard queues with delays, visibility timeout, retention, dead-letter queues and their redrive.
 */
import * as z from 'zod';
import { failure } from '../aws-endpoint/aws-error';
import { noMeter, stepsOf, type Meter } from '../billing/meter';
import { noMetrics, type Metrics } from '../cloudwatch/metrics';
import { propertiesOf } from '../cloudformation/properties';
import { monotonicNow } from '../monotonic-clock';
import type { AwsAnswer, AwsApi, AwsCall, Created, Resource, Service } from '../service';
import { createMessageMoveTasks } from './message-move-tasks';
import { openMessageStore, type MessageStore, type MessageAttributes } from './message';
import { operations, SqsError } from './operations';
import type { Queue } from './queue';
import { queueAttributes } from './queue-attributes';
import { QUEUE_NAME, queueIn, queueNameIn, queueOperations } from './queue-operations';
import { parseQueuePolicy } from './queue-policy';
import { createQueueRegistry } from './queue-registry';

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
  /** Default: none. */
  readonly metrics?: Metrics;
}

export interface Sqs extends Service, AwsApi {
  /**
   * Sends a message on behalf of another service; the meter counts it for the queue.
   * @returns its id
   * @throws Error when the queue does not exist
   */
  send(queueArn: string, body: string, attributes?: MessageAttributes): string;
  queue(queueArn: string): Queue | undefined;
  /** Whether the queue's policy allows a service such as `events.amazonaws.com` to send on behalf of an ARN. */
  permits(queueArn: string, service: string, sourceArn: string): boolean;
}

const queueProperties = queueAttributes.omit({ Policy: true }).extend({
  QueueName: z.string().regex(QUEUE_NAME, 'a name has at most 80 letters, digits, hyphens and underscores').optional(),
  FifoQueue: z.literal(false).optional(),
});
const policyProperties = z.object({ PolicyDocument: z.unknown(), Queues: z.array(z.string()) });

/**
 * SQS for the queues of one template, and for those that are created by calls. Of queue policies, only what they allow
 * AWS services is evaluated; what calls may do is up to the policies of the caller.
 */
export function createSqs({
  region,
  accountId,
  endpointUrl,
  dataFolder,
  meter = noMeter,
  metrics = noMetrics,
}: SqsOptions): Sqs {
  let store: MessageStore | undefined;
  const arnOf = (name: string) => `arn:aws:sqs:${region}:${accountId}:${name}`;
  const queues = createQueueRegistry({
    dataFolder,
    arnOf,
    urlOf: (name) => `${endpointUrl}/${accountId}/${name}`,
    record: (entry) => store?.append(entry),
  });
  const queueAt = (arn: string) => queues.at(arn)?.queue;
  const moveTasks = createMessageMoveTasks(queues);

  function add(resource: Resource): Created {
    const {
      QueueName: name = resource.logicalId,
      FifoQueue: _fifo,
      ...attributes
    } = propertiesOf(resource, queueProperties);
    try {
      const { arn, url } = queues.create(name, attributes, true).queue;
      return { ref: url, attributes: { Arn: arn, QueueName: name, QueueUrl: url } };
    } catch (error) {
      throw new Error(`${resource.logicalId}: ${error instanceof Error ? error.message : String(error)}`, {
        cause: error,
      });
    }
  }

  function addPolicy(resource: Resource): Created {
    const { PolicyDocument, Queues } = propertiesOf(resource, policyProperties);
    parseQueuePolicy(PolicyDocument);
    for (const QueueUrl of Queues) {
      const entry = queueIn(queues, { QueueUrl });
      queues.change(entry, { ...entry.attributes, Policy: JSON.stringify(PolicyDocument) });
    }
    return { ref: resource.logicalId };
  }

  return {
    types: ['AWS::SQS::Queue', 'AWS::SQS::QueuePolicy'],
    signingName: 'sqs',
    queue: queueAt,

    create: (resource) => (resource.type === 'AWS::SQS::Queue' ? add(resource) : addPolicy(resource)),

    start() {
      queues.restore();
      const messages = openMessageStore(dataFolder, () =>
        Object.fromEntries(queues.all().map(({ name, queue }) => [name, queue.stored])),
      );
      for (const { name, queue } of queues.all()) for (const message of messages.of(name)) queue.enqueue(message);
      store = messages;
      store.compact();
      metrics.measure(() => queues.all().forEach(({ queue }) => publishMetrics(queue, metrics)));
      return Promise.resolve();
    },

    stop() {
      moveTasks.stop();
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

    permits: queues.permits,

    permissions(call) {
      const ofMove = moveTasks.permissions(operationOf(call), bodyOf(call));
      if (ofMove) return ofMove;
      const name = queueNameIn(bodyOf(call));
      // The batch form of an operation needs the permission for the operation itself.
      const action = `sqs:${operationOf(call).replace(/Batch$/, '')}`;
      return [{ action, resource: name === undefined ? '*' : arnOf(name) }];
    },

    async answer(call) {
      try {
        const answer = json(await run(call));
        const bytes = Math.max(call.body.length, Buffer.byteLength(answer.body));
        return { ...answer, charges: { 'sqs:requests': requestsOf(bytes) } };
      } catch (error) {
        if (error instanceof SqsError) return failure('json', 400, error.code, error.message);
        throw error;
      }
    },
  };

  /** @throws SqsError */
  function run(call: AwsCall): object | Promise<object> {
    const name = operationOf(call);
    const input = bodyOf(call);
    const ofQueues = Object.hasOwn(queueOperations, name) ? queueOperations[name] : undefined;
    const ofMoves = Object.hasOwn(moveTasks.operations, name) ? moveTasks.operations[name] : undefined;
    const ofMessages = Object.hasOwn(operations, name) ? operations[name] : undefined;
    if (!ofQueues && !ofMessages && !ofMoves) {
      throw new SqsError('UnsupportedOperation', `${name} is not supported on this machine`);
    }
    if (input === undefined) throw new SqsError('InvalidParameterValue', 'The request is not JSON.');
    if (ofMoves) return ofMoves(input);
    if (ofQueues) return ofQueues(queues, input);
    return ofMessages?.(queueIn(queues, input).queue, input, traceHeaderOf(call)) ?? {};
  }
}

/** SQS developer guide, "Available CloudWatch metrics for Amazon SQS". */
function publishMetrics({ name, messages }: Queue, metrics: Metrics): void {
  const now = monotonicNow();
  const visible = messages.filter(({ hiddenUntil }) => hiddenUntil <= now).length;
  const oldest = messages.reduce((least, { sentAt }) => Math.min(least, sentAt), Date.now());
  metrics.put('AWS/SQS', 'ApproximateNumberOfMessagesVisible', visible, { QueueName: name });
  metrics.put('AWS/SQS', 'ApproximateAgeOfOldestMessage', (Date.now() - oldest) / 1000, { QueueName: name });
}

/** SQS pricing: 64 KB of payload are a request. */
const METERED_BYTES = 64 * 1024;

/** Number of requests that a payload is charged as. */
export function requestsOf(bytes: number): number {
  return stepsOf(bytes, METERED_BYTES);
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
