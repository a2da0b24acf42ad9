import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';

const client = new SQSClient({
  maxAttempts: 3,
  requestHandler: { connectionTimeout: 1000, requestTimeout: 2000, throwOnRequestTimeout: true },
});

/**
 * Puts a message into the queue of what is to be done about devices after a while: `silence-watch.ts`,
 * `trailing-states.ts`.
 * @param delayS in seconds, up to 15 minutes
 * @throws Error when the queue has not acknowledged it, which may have it all the same
 */
export async function sendToDevices(message: object, delayS: number): Promise<void> {
  const QueueUrl = process.env['SILENCE_QUEUE_URL'];
  if (!QueueUrl) throw new Error('SILENCE_QUEUE_URL is not set');
  await client.send(new SendMessageCommand({ QueueUrl, MessageBody: JSON.stringify(message), DelaySeconds: delayS }));
}
