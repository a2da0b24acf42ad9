/**
 * SQS queues on this machine, kept in memory: Amazon SQS API reference. Played are standard queues and what it takes to
 * look into one: SendMessage, ReceiveMessage, DeleteMessage, PurgeQueue, GetQueueUrl, GetQueueAttributes.
 */
import { createHash, randomUUID } from 'node:crypto';
import * as z from 'zod';
import { failure } from './aws-refusal';
import { parsePolicy } from './policy';
import { propertiesOf } from './properties';
import type { AwsAnswer, AwsApi, AwsCall, Created, Resource, Service } from './service';

export interface SqsOptions {
  readonly region: string;
  readonly accountId: string;
  /** Base of the queue URLs: the endpoint that this API is called at. */
  readonly endpointUrl: string;
}

export interface Sqs extends Service, AwsApi {
  /** Puts a message into a queue on behalf of another service, and gives its id; throws for a queue that does not exist. */
  send(queueArn: string, body: string): string;
}

interface Message {
  readonly id: string;
  readonly body: string;
  readonly sentAt: number;
  receiptHandle?: string;
  receiveCount: number;
  /** Unix milliseconds until which nobody else receives it. */
  hiddenUntil: number;
}

interface Queue {
  readonly name: string;
  readonly arn: string;
  readonly url: string;
  readonly visibilityTimeout: number;
  messages: Message[];
}

const queueProperties = z.object({
  QueueName: z.string().optional(),
  FifoQueue: z.literal(false).optional(),
  VisibilityTimeout: z.number().default(30),
});
const policyProperties = z.object({ PolicyDocument: z.unknown(), Queues: z.array(z.string()) });

const request = z.object({
  QueueUrl: z.string().optional(),
  QueueName: z.string().optional(),
  MessageBody: z.string().min(1).optional(),
  MaxNumberOfMessages: z.number().int().min(1).max(10).default(1),
  VisibilityTimeout: z.number().int().min(0).max(43_200).optional(),
  ReceiptHandle: z.string().optional(),
});
type Request = z.infer<typeof request>;

/** SQS for the queues of one template; queue policies are read, but roles decide alone. */
export function createSqs({ region, accountId, endpointUrl }: SqsOptions): Sqs {
  const queues = new Map<string, Queue>();
  const arnOf = (name: string) => `arn:aws:sqs:${region}:${accountId}:${name}`;

  function createQueue(resource: Resource): Created {
    const { QueueName: name = resource.logicalId, VisibilityTimeout } = propertiesOf(resource, queueProperties);
    const url = `${endpointUrl}/${accountId}/${name}`;
    queues.set(name, { name, arn: arnOf(name), url, visibilityTimeout: VisibilityTimeout, messages: [] });
    return { ref: url, attributes: { Arn: arnOf(name), QueueName: name, QueueUrl: url } };
  }

  return {
    types: ['AWS::SQS::Queue', 'AWS::SQS::QueuePolicy'],
    signingName: 'sqs',

    create(resource) {
      if (resource.type === 'AWS::SQS::Queue') return createQueue(resource);
      parsePolicy(propertiesOf(resource, policyProperties).PolicyDocument);
      return { ref: resource.logicalId };
    },

    send(queueArn, body) {
      const queue = queues.get(queueArn.slice(queueArn.lastIndexOf(':') + 1));
      if (queue?.arn !== queueArn) throw new Error(`There is no queue ${queueArn}`);
      return add(queue, body).id;
    },

    permissions(call) {
      const name = nameIn(read(call).data);
      return [{ action: `sqs:${operationOf(call)}`, resource: name === undefined ? '*' : arnOf(name) }];
    },

    answer(call) {
      const operation = Object.hasOwn(operations, operationOf(call)) ? operations[operationOf(call)] : undefined;
      if (!operation) return refuse('UnsupportedOperation', `${operationOf(call)} is not played on this machine`);
      const { data, error } = read(call);
      if (!data) return refuse('InvalidParameterValue', z.prettifyError(error));
      const queue = queues.get(nameIn(data) ?? '');
      if (!queue) return refuse('QueueDoesNotExist', 'The specified queue does not exist.');
      return Promise.resolve(operation(queue, data));
    },
  };
}

const operations: Readonly<Record<string, (queue: Queue, request: Request) => AwsAnswer>> = {
  SendMessage: (queue, { MessageBody }) => {
    if (MessageBody === undefined) return failure('json', 400, 'MissingParameter', 'MessageBody is required');
    return json({ MessageId: add(queue, MessageBody).id, MD5OfMessageBody: md5(MessageBody) });
  },

  ReceiveMessage: (queue, { MaxNumberOfMessages, VisibilityTimeout = queue.visibilityTimeout }) => {
    const now = Date.now();
    const taken = queue.messages.filter(({ hiddenUntil }) => hiddenUntil <= now).slice(0, MaxNumberOfMessages);
    for (const message of taken) {
      message.receiptHandle = randomUUID();
      message.receiveCount += 1;
      message.hiddenUntil = now + VisibilityTimeout * 1000;
    }
    const Messages = taken.map(({ id, body, sentAt, receiptHandle, receiveCount }) => ({
      MessageId: id,
      ReceiptHandle: receiptHandle,
      Body: body,
      MD5OfBody: md5(body),
      Attributes: { SentTimestamp: String(sentAt), ApproximateReceiveCount: String(receiveCount) },
    }));
    return json(Messages.length > 0 ? { Messages } : {});
  },

  DeleteMessage: (queue, { ReceiptHandle }) => {
    queue.messages = queue.messages.filter(
      ({ receiptHandle }) => receiptHandle === undefined || receiptHandle !== ReceiptHandle,
    );
    return json({});
  },

  PurgeQueue: (queue) => {
    queue.messages = [];
    return json({});
  },

  GetQueueUrl: ({ url }) => json({ QueueUrl: url }),

  GetQueueAttributes: ({ arn, messages, visibilityTimeout }) => {
    const hidden = messages.filter(({ hiddenUntil }) => hiddenUntil > Date.now()).length;
    return json({
      Attributes: {
        QueueArn: arn,
        VisibilityTimeout: String(visibilityTimeout),
        ApproximateNumberOfMessages: String(messages.length - hidden),
        ApproximateNumberOfMessagesNotVisible: String(hidden),
        ApproximateNumberOfMessagesDelayed: '0',
      },
    });
  },
};

function add(queue: Queue, body: string): Message {
  const message: Message = { id: randomUUID(), body, sentAt: Date.now(), receiveCount: 0, hiddenUntil: 0 };
  queue.messages.push(message);
  return message;
}

function nameIn(call: Request | undefined): string | undefined {
  return call?.QueueName ?? call?.QueueUrl?.slice(call.QueueUrl.lastIndexOf('/') + 1);
}

function operationOf({ headers }: AwsCall): string {
  const target = String(headers['x-amz-target']);
  return target.slice(target.lastIndexOf('.') + 1);
}

function read({ body }: AwsCall) {
  try {
    return request.safeParse(JSON.parse(body.toString()));
  } catch {
    return request.safeParse(undefined);
  }
}

function refuse(code: string, message: string): Promise<AwsAnswer> {
  return Promise.resolve(failure('json', 400, code, message));
}

function json(value: object): AwsAnswer {
  return { status: 200, headers: { 'content-type': 'application/x-amz-json-1.0' }, body: JSON.stringify(value) };
}

function md5(text: string): string {
  return createHash('md5').update(text).digest('hex');
}
