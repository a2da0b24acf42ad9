import { createHash } from 'node:crypto';
import * as z from 'zod';

/** Message attributes: SQS API reference, MessageAttributeValue; binary values in base64. */
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

/** A message as it is stored; times in Unix ms. */
export const storedMessage = z.object({
  id: z.string(),
  body: z.string(),
  attributes: messageAttributes,
  sentAt: z.number(),
  receiveCount: z.number(),
  firstReceivedAt: z.number().optional(),
  /** X-Ray tracing header of the sender. */
  traceHeader: z.string().optional(),
  /** ARN of the queue that this message was dead-lettered from. */
  givenUpBy: z.string().optional(),
  /** Not visible until then: delayed, or in flight. */
  hiddenUntil: z.number(),
});

export interface Message extends z.infer<typeof storedMessage> {
  /** Handle of the latest receive. */
  receiptHandle?: string;
}

export type ReceivedMessage = Readonly<Message> & { readonly receiptHandle: string };

/** SQS API reference, ReceiveMessage, MessageSystemAttributeNames. */
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

/** Bytes that count against the queue's size limit: body, and names, types and values of all attributes. */
export function sizeOf(body: string, attributes: MessageAttributes): number {
  const texts = Object.entries(attributes).flatMap(([name, { DataType, StringValue = '', BinaryValue = '' }]) => [
    name,
    DataType,
    StringValue,
    Buffer.from(BinaryValue, 'base64').toString('latin1'),
  ]);
  return [body, ...texts].reduce((sum, text) => sum + Buffer.byteLength(text), 0);
}

/** Checksum by which the sender verifies that its body arrived intact. */
export function md5(text: string): string {
  return createHash('md5').update(text).digest('hex');
}
