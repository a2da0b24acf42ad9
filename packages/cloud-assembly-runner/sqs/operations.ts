/** Operations on the messages of one queue: SQS API reference. */
import * as z from 'zod';
import { monotonicNow } from '../monotonic-clock';
import { md5, messageAttributes, sizeOf, systemAttributesOf, type ReceivedMessage } from './message';
import type { Queue } from './queue';

/** Error of a call, or of one batch entry, with SQS's error code. */
export class SqsError extends Error {
  constructor(
    readonly code: string,
    message: string,
  ) {
    super(message);
  }
}

/**
 * Runs an operation on a queue.
 * @param input body of the request
 * @returns body of the response
 * @throws SqsError
 */
export type Operation = (queue: Queue, input: unknown, traceHeader?: string) => object | Promise<object>;

const seconds = (most: number) => z.number().int().min(0).max(most);
const MAX_DELAY_SECONDS = 900;
const MAX_VISIBILITY_SECONDS = 43_200;

const sendInput = z.object({
  MessageBody: z.string().min(1).optional(),
  DelaySeconds: seconds(MAX_DELAY_SECONDS).optional(),
  MessageAttributes: messageAttributes
    .refine((attributes) => Object.keys(attributes).length <= 10, 'a message has at most 10 attributes')
    .default({}),
  /** Takes precedence over the tracing header of the call (SQS developer guide, "Amazon SQS and AWS X-Ray"). */
  MessageSystemAttributes: z.object({ AWSTraceHeader: z.object({ StringValue: z.string() }).optional() }).default({}),
});
const receiveInput = z.object({
  MaxNumberOfMessages: z.number().int().min(1).max(10).default(1),
  VisibilityTimeout: seconds(MAX_VISIBILITY_SECONDS).optional(),
  /** Default: the queue's own. */
  WaitTimeSeconds: seconds(20).optional(),
  MessageAttributeNames: z.array(z.string()).default([]),
  MessageSystemAttributeNames: z.array(z.string()).default([]),
  /** Deprecated name of MessageSystemAttributeNames. */
  AttributeNames: z.array(z.string()).default([]),
});
const receiptInput = z.object({ ReceiptHandle: z.string() });
const visibilityInput = receiptInput.extend({ VisibilityTimeout: seconds(MAX_VISIBILITY_SECONDS) });
const batchInput = z.object({ Entries: z.array(z.looseObject({ Id: z.string().regex(/^[\w-]{1,80}$/) })) });

const MAX_BATCH_BYTES = 1_048_576;

function send(queue: Queue, input: unknown, traceHeader?: string): object {
  const { MessageBody, DelaySeconds, MessageAttributes, MessageSystemAttributes } = read(sendInput, input);
  if (MessageBody === undefined) throw new SqsError('MissingParameter', 'The request must contain MessageBody.');
  if (sizeOf(MessageBody, MessageAttributes) > queue.maxBytes) {
    throw new SqsError('InvalidParameterValue', `Message must be shorter than ${queue.maxBytes} bytes.`);
  }
  const trace = MessageSystemAttributes.AWSTraceHeader?.StringValue ?? traceHeader;
  const { id } = queue.send(MessageBody, MessageAttributes, DelaySeconds, trace);
  return { MessageId: id, MD5OfMessageBody: md5(MessageBody) };
}

function remove(queue: Queue, input: unknown): object {
  // SQS accepts an expired receipt handle.
  queue.remove(read(receiptInput, input).ReceiptHandle);
  return {};
}

function changeVisibility(queue: Queue, input: unknown): object {
  const { ReceiptHandle, VisibilityTimeout } = read(visibilityInput, input);
  if (!queue.changeVisibility(ReceiptHandle, VisibilityTimeout)) {
    throw new SqsError('MessageNotInflight', 'The specified message isn’t in flight.');
  }
  return {};
}

async function receive(queue: Queue, input: unknown): Promise<object> {
  const wanted = read(receiveInput, input);
  const { MaxNumberOfMessages, VisibilityTimeout, WaitTimeSeconds = queue.receiveWait } = wanted;
  const until = monotonicNow() + WaitTimeSeconds * 1000;
  for (;;) {
    const received = queue.receive(MaxNumberOfMessages, VisibilityTimeout);
    if (received.length > 0) return { Messages: received.map((message) => messageView(message, wanted)) };
    if (monotonicNow() >= until) return {};
    await queue.waitForMessage(until - monotonicNow());
  }
}

function messageView(message: ReceivedMessage, wanted: z.infer<typeof receiveInput>): object {
  const { id, body, attributes, receiptHandle } = message;
  const systemNames = [...wanted.MessageSystemAttributeNames, ...wanted.AttributeNames];
  const isWanted =
    (names: readonly string[]) =>
    ([name]: [string, unknown]) =>
      names.some((wanted) => matchesName(wanted, name));
  const system = Object.entries(systemAttributesOf(message, 'local')).filter(isWanted(systemNames));
  const own = Object.entries(attributes).filter(isWanted(wanted.MessageAttributeNames));
  return {
    MessageId: id,
    ReceiptHandle: receiptHandle,
    Body: body,
    MD5OfBody: md5(body),
    ...(system.length > 0 && { Attributes: Object.fromEntries(system) }),
    ...(own.length > 0 && { MessageAttributes: Object.fromEntries(own) }),
  };
}

/** Matches `All`, a name, or a prefix that ends in `.*`. */
function matchesName(wanted: string, name: string): boolean {
  if (wanted.endsWith('.*')) return name.startsWith(wanted.slice(0, -2));
  return wanted === 'All' || wanted === name;
}

/** Batch form of an operation: up to ten entries, each of which succeeds or fails on its own. */
function batchOf(operation: (queue: Queue, input: unknown, traceHeader?: string) => object): Operation {
  return (queue, input, traceHeader) => {
    const { Entries } = read(batchInput, input);
    if (Entries.length === 0) throw new SqsError('EmptyBatchRequest', 'The batch request contains no entries.');
    if (Entries.length > 10) {
      throw new SqsError('TooManyEntriesInBatchRequest', 'Maximum number of entries per request are 10.');
    }
    if (new Set(Entries.map(({ Id }) => Id)).size < Entries.length) {
      throw new SqsError('BatchEntryIdsNotDistinct', 'Two or more batch entries have the same Id.');
    }
    const bytes = Entries.map((entry) => sendInput.safeParse(entry).data).reduce(
      (sum, one) => sum + (one ? sizeOf(one.MessageBody ?? '', one.MessageAttributes) : 0),
      0,
    );
    if (bytes > MAX_BATCH_BYTES) {
      throw new SqsError('BatchRequestTooLong', `Batch requests cannot be longer than ${MAX_BATCH_BYTES} bytes.`);
    }
    const Successful: object[] = [];
    const Failed: object[] = [];
    for (const { Id, ...entry } of Entries) {
      try {
        Successful.push({ Id, ...operation(queue, entry, traceHeader) });
      } catch (error) {
        if (!(error instanceof SqsError)) throw error;
        Failed.push({ Id, SenderFault: true, Code: error.code, Message: error.message });
      }
    }
    return { Successful, Failed };
  };
}

export const operations: Readonly<Record<string, Operation>> = {
  SendMessage: send,
  SendMessageBatch: batchOf(send),
  ReceiveMessage: receive,
  DeleteMessage: remove,
  DeleteMessageBatch: batchOf(remove),
  ChangeMessageVisibility: changeVisibility,
  ChangeMessageVisibilityBatch: batchOf(changeVisibility),
  PurgeQueue: (queue) => {
    queue.purge();
    return {};
  },
};

/** Parses the body of a request. @throws SqsError `InvalidParameterValue` */
export function read<T>(shape: z.ZodType<T>, input: unknown): T {
  const { success, data, error } = shape.safeParse(input);
  if (!success) throw new SqsError('InvalidParameterValue', z.prettifyError(error));
  return data;
}
