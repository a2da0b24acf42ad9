import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { clientConfig } from '../store/client-config';
import { setting } from '../store/environment';

const client = new SQSClient(clientConfig());

/** Sends a message that can never be processed to the dead-letter queue, unchanged, with the reason as an attribute. */
export async function sendToDeadLetterQueue(body: string, reason: string): Promise<void> {
  const QueueUrl = setting('DEAD_LETTER_QUEUE_URL');
  const MessageAttributes = { reason: { DataType: 'String', StringValue: reason.slice(0, 1024) || 'unknown' } };
  await client.send(new SendMessageCommand({ QueueUrl, MessageBody: body, MessageAttributes }));
}
