import { createHash } from 'node:crypto';
import * as z from 'zod';

/** Attributes of the sender's own: SQS API reference, MessageAttributeValue; binary values are in base64. */
export const messageAttributes = z.record(
  z.string().regex(/^[\w.-]{1,256}$/),
  z
    .object({
      DataType: z.string().regex(/^(String|Number|Binary)(\..+)?$/),
      StringValue: z.string().min(1).optional(),
      BinaryValue: z.string().min(1).optional(),
    })
    .refine(
      ({ DataType, StringValue, BinaryValue }) =>
        (DataType.startsWith('Binary') ? BinaryValue : StringValue) !== undefined,
      'an attribute has a value of its type',
    ),
);

export type MessageAttributes = z.infer<typeof messageAttributes>;

/** A message as a queue keeps it; moments are Unix milliseconds. */
export const keptMessage = z.object({
  id: z.string(),
  body: z.string(),
  attributes: messageAttributes,
  sentAt: z.number(),
  receiveCount: z.number(),
  firstReceivedAt: z.number().optional(),
  /** Tracing header of whoever sent it. */
  traceHeader: z.string().optional(),
  /** ARN of the queue that gave it up. */
  givenUpBy: z.string().optional(),
  /** Until then nobody receives it: it is delayed, or somebody else works on it. */
  hiddenUntil: z.number(),
});

export interface Message extends z.infer<typeof keptMessage> {
  /** Of the last receipt. */
  receiptHandle?: string;
}

/** A message that somebody has received. */
export type ReceivedMessage = Readonly<Message> & { readonly receiptHandle: string };

/** What a queue says of a message: SQS API reference, ReceiveMessage, MessageSystemAttributeNames. */
export function systemAttributesOf(message: ReceivedMessage, senderId: string): Record<string, string> {
  return {
    ApproximateReceiveCount: String(message.receiveCount),
    SentTimestamp: String(message.sentAt),
    SenderId: senderId,
    ApproximateFirstReceiveTimestamp: String(message.firstReceivedAt),
    ...(message.traceHeader !== undefined && { AWSTraceHeader: message.traceHeader }),
    ...(message.givenUpBy !== undefined && { DeadLetterQueueSourceArn: message.givenUpBy }),
  };
}

/** Bytes that count against the limit of a queue: body, and names, types and values of all attributes. */
export function sizeOf(body: string, attributes: MessageAttributes): number {
  const texts = Object.entries(attributes).flatMap(([name, { DataType, StringValue = '', BinaryValue = '' }]) => [
    ...[name, DataType, StringValue],
    Buffer.from(BinaryValue, 'base64').toString('latin1'),
  ]);
  return [body, ...texts].reduce((sum, text) => sum + Buffer.byteLength(text), 0);
}

/** What SQS gives back so that a sender can see that its text has arrived whole. */
export function md5(text: string): string {
  return createHash('md5').update(text).digest('hex');
}
