import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import * as z from 'zod/mini';

const client = new SQSClient({
  maxAttempts: 3,
  requestHandler: { connectionTimeout: 1000, requestTimeout: 2000, throwOnRequestTimeout: true },
});

const watched = z.object({ organisation: z.string(), deviceId: z.string() });
export type Watched = z.output<typeof watched>;

/** A message of the queue as it was sent. @throws ZodError, SyntaxError for one that we never sent */
export const readWatch = (body: string): Watched => watched.parse(JSON.parse(body));

/**
 * Has a device looked at again after a while, by a message that the queue holds back: a device that is online has
 * one such message under way, and the clock of nothing else has to run for it.
 * @param delay in ms, up to 15 minutes
 */
export async function watchAgain(device: Watched, delay: number): Promise<void> {
  const QueueUrl = process.env['SILENCE_QUEUE_URL'];
  if (!QueueUrl) throw new Error('SILENCE_QUEUE_URL is not set');
  await client.send(
    new SendMessageCommand({ QueueUrl, MessageBody: JSON.stringify(device), DelaySeconds: Math.ceil(delay / 1000) }),
  );
}
