/** The operations on one queue: SQS API reference. */
import * as z from 'zod';
import { steadyNow } from '../steady-clock';
import { md5, messageAttributes, sizeOf, systemAttributesOf, type ReceivedMessage } from './message';
import type { Queue } from './queue';

/** Why a call, or one entry of a batch, can't be done. */
export class Refused extends Error {
  constructor(
    readonly code: string,
    message: string,
  ) {
    super(message);
  }
}

/**
 * Works on a queue with the body of a call and its tracing header, and gives the body of the answer; throws
 * {@link Refused}.
 */
export type Operation = (queue: Queue, input: unknown, traceHeader?: string) => object | Promise<object>;

const seconds = (most: number) => z.number().int().min(0).max(most);
const LONGEST_DELAY = 900;
const LONGEST_VISIBILITY = 43_200;

const sending = z.object({
  MessageBody: z.string().min(1).optional(),
  DelaySeconds: seconds(LONGEST_DELAY).optional(),
  MessageAttributes: messageAttributes
    .refine((attributes) => Object.keys(attributes).length <= 10, 'a message has at most 10 attributes')
    .default({}),
  /** Goes before the tracing header of the call (SQS developer guide, "Amazon SQS and AWS X-Ray"). */
  MessageSystemAttributes: z.object({ AWSTraceHeader: z.object({ StringValue: z.string() }).optional() }).default({}),
});
const receiving = z.object({
  MaxNumberOfMessages: z.number().int().min(1).max(10).default(1),
  VisibilityTimeout: seconds(LONGEST_VISIBILITY).optional(),
  WaitTimeSeconds: seconds(20).default(0),
  MessageAttributeNames: z.array(z.string()).default([]),
  MessageSystemAttributeNames: z.array(z.string()).default([]),
  /** What MessageSystemAttributeNames was called before. */
  AttributeNames: z.array(z.string()).default([]),
});
const receipt = z.object({ ReceiptHandle: z.string() });
const hiding = receipt.extend({ VisibilityTimeout: seconds(LONGEST_VISIBILITY) });
const batch = z.object({ Entries: z.array(z.looseObject({ Id: z.string().regex(/^[\w-]{1,80}$/) })) });

const MOST_BATCH_BYTES = 1_048_576;

function send(queue: Queue, input: unknown, traceHeader?: string): object {
  const { MessageBody, DelaySeconds, MessageAttributes, MessageSystemAttributes } = read(sending, input);
  if (MessageBody === undefined) throw new Refused('MissingParameter', 'The request must contain MessageBody.');
  if (sizeOf(MessageBody, MessageAttributes) > queue.maxBytes) {
    throw new Refused('InvalidParameterValue', `Message must be shorter than ${queue.maxBytes} bytes.`);
  }
  const trace = MessageSystemAttributes.AWSTraceHeader?.StringValue ?? traceHeader;
  const { id } = queue.send(MessageBody, MessageAttributes, DelaySeconds, trace);
  return { MessageId: id, MD5OfMessageBody: md5(MessageBody) };
}

function remove(queue: Queue, input: unknown): object {
  // A receipt that is over is no error.
  queue.remove(read(receipt, input).ReceiptHandle);
  return {};
}

function hide(queue: Queue, input: unknown): object {
  const { ReceiptHandle, VisibilityTimeout } = read(hiding, input);
  if (!queue.hide(ReceiptHandle, VisibilityTimeout)) {
    throw new Refused('MessageNotInflight', 'The specified message isn’t in flight.');
  }
  return {};
}

async function receive(queue: Queue, input: unknown): Promise<object> {
  const wanted = read(receiving, input);
  const { MaxNumberOfMessages, VisibilityTimeout } = wanted;
  const until = steadyNow() + wanted.WaitTimeSeconds * 1000;
  for (;;) {
    const received = queue.receive(MaxNumberOfMessages, VisibilityTimeout);
    if (received.length > 0) return { Messages: received.map((message) => shown(message, wanted)) };
    if (steadyNow() >= until) return {};
    await queue.arrival(until - steadyNow());
  }
}

function shown(message: ReceivedMessage, wanted: z.infer<typeof receiving>): object {
  const { id, body, attributes, receiptHandle } = message;
  const systemNames = [...wanted.MessageSystemAttributeNames, ...wanted.AttributeNames];
  const isWanted =
    (names: readonly string[]) =>
    ([name]: [string, unknown]) =>
      names.some((wanted) => fits(wanted, name));
  const system = Object.entries(systemAttributesOf(message, 'local')).filter(isWanted(systemNames));
  const own = Object.entries(attributes).filter(isWanted(wanted.MessageAttributeNames));
  return {
    ...{ MessageId: id, ReceiptHandle: receiptHandle, Body: body, MD5OfBody: md5(body) },
    ...(system.length > 0 && { Attributes: Object.fromEntries(system) }),
    ...(own.length > 0 && { MessageAttributes: Object.fromEntries(own) }),
  };
}

/** `All`, a name, or the beginning of one before `.*`. */
function fits(wanted: string, name: string): boolean {
  if (wanted.endsWith('.*')) return name.startsWith(wanted.slice(0, -2));
  return wanted === 'All' || wanted === name;
}

function attributesOf({ arn, messages, visibilityTimeout, delay, redrive }: Queue): object {
  const now = steadyNow();
  const hidden = messages.filter(({ hiddenUntil }) => hiddenUntil > now);
  const delayed = hidden.filter(({ receiveCount }) => receiveCount === 0).length;
  return {
    Attributes: {
      QueueArn: arn,
      VisibilityTimeout: String(visibilityTimeout),
      DelaySeconds: String(delay),
      ApproximateNumberOfMessages: String(messages.length - hidden.length),
      ApproximateNumberOfMessagesNotVisible: String(hidden.length - delayed),
      ApproximateNumberOfMessagesDelayed: String(delayed),
      ...(redrive && {
        RedrivePolicy: JSON.stringify({
          deadLetterTargetArn: redrive.to.arn,
          maxReceiveCount: redrive.maxReceiveCount,
        }),
      }),
    },
  };
}

/** The same operation for up to ten entries, each of which succeeds or fails on its own. */
function eachOf(operation: (queue: Queue, input: unknown, traceHeader?: string) => object): Operation {
  return (queue, input, traceHeader) => {
    const { Entries } = read(batch, input);
    if (Entries.length === 0) throw new Refused('EmptyBatchRequest', 'The batch request contains no entries.');
    if (Entries.length > 10) {
      throw new Refused('TooManyEntriesInBatchRequest', 'Maximum number of entries per request are 10.');
    }
    if (new Set(Entries.map(({ Id }) => Id)).size < Entries.length) {
      throw new Refused('BatchEntryIdsNotDistinct', 'Two or more batch entries have the same Id.');
    }
    const bytes = Entries.map((entry) => sending.safeParse(entry).data).reduce(
      (sum, one) => sum + (one ? sizeOf(one.MessageBody ?? '', one.MessageAttributes) : 0),
      0,
    );
    if (bytes > MOST_BATCH_BYTES) {
      throw new Refused('BatchRequestTooLong', `Batch requests cannot be longer than ${MOST_BATCH_BYTES} bytes.`);
    }
    const Successful: object[] = [];
    const Failed: object[] = [];
    for (const { Id, ...entry } of Entries) {
      try {
        Successful.push({ Id, ...operation(queue, entry, traceHeader) });
      } catch (error) {
        if (!(error instanceof Refused)) throw error;
        Failed.push({ Id, SenderFault: true, Code: error.code, Message: error.message });
      }
    }
    return { Successful, Failed };
  };
}

export const operations: Readonly<Record<string, Operation>> = {
  SendMessage: send,
  SendMessageBatch: eachOf(send),
  ReceiveMessage: receive,
  DeleteMessage: remove,
  DeleteMessageBatch: eachOf(remove),
  ChangeMessageVisibility: hide,
  ChangeMessageVisibilityBatch: eachOf(hide),
  PurgeQueue: (queue) => {
    queue.purge();
    return {};
  },
  GetQueueUrl: ({ url }) => ({ QueueUrl: url }),
  GetQueueAttributes: attributesOf,
};

function read<T>(shape: z.ZodType<T>, input: unknown): T {
  const { success, data, error } = shape.safeParse(input);
  if (!success) throw new Refused('InvalidParameterValue', z.prettifyError(error));
  return data;
}
