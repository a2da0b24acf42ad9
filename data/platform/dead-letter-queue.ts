import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';

const client = new SQSClient({
  maxAttempts: 3,
  requestHandler: { connectionTimeout: 1000, requestTimeout: 2000, throwOnRequestTimeout: true },
});

/** Puts what can't be worked on, now or later, into the queue for failures, as it came and with the reason. */
export async function sendToDeadLetterQueue(body: string, reason: string): Promise<void> {
  const QueueUrl = process.env['DEAD_LETTER_QUEUE_URL'];
  if (!QueueUrl) throw new Error('DEAD_LETTER_QUEUE_URL is not set');
  const MessageAttributes = { reason: { DataType: 'String', StringValue: reason.slice(0, 1024) || 'unknown' } };
  await client.send(new SendMessageCommand({ QueueUrl, MessageBody: body, MessageAttributes }));
}
