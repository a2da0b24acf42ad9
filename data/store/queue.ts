import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { clientConfig } from './client-config';
import { setting } from './environment';

let client: SQSClient | undefined;
/** Created when first needed: most functions that can close a viewer's socket rarely do. */
const sqs = () => (client ??= new SQSClient(clientConfig()));

/**
 * Sends a message to a queue, as JSON.
 * @param urlSetting environment variable with the queue's URL
 * @param delayS seconds until the message can be received, at most 900
 * @throws Error when SQS did not acknowledge the message, which may be in the queue nevertheless
 */
export async function sendToQueue(urlSetting: string, message: object, delayS: number): Promise<void> {
  const QueueUrl = setting(urlSetting);
  await sqs().send(new SendMessageCommand({ QueueUrl, MessageBody: JSON.stringify(message), DelaySeconds: delayS }));
}
