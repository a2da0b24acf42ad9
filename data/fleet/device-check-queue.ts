import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { clientConfig } from '../store/client-config';
import { setting } from '../store/environment';

const client = new SQSClient(clientConfig());

/**
 * Sends a message to the queue of delayed device checks: `offline-check.ts`, `trailing-states.ts`.
 * @param delayS in seconds, up to 15 minutes
 * @throws Error when SQS did not acknowledge the message, which may be in the queue nevertheless
 */
export async function sendDeviceCheck(message: object, delayS: number): Promise<void> {
  const QueueUrl = setting('DEVICE_CHECK_QUEUE_URL');
  await client.send(new SendMessageCommand({ QueueUrl, MessageBody: JSON.stringify(message), DelaySeconds: delayS }));
}
