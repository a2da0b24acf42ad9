import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import * as z from 'zod/mini';
import { channelKinds } from '../../domain/status-event';

const client = new SQSClient({
  maxAttempts: 3,
  requestHandler: { connectionTimeout: 1000, requestTimeout: 2000, throwOnRequestTimeout: true },
});

/** AWS IoT retains one message of a topic a second. */
const RETRY_DELAY_S = 2;

const overdue = z.object({
  kind: z.enum(channelKinds),
  id: z.string(),
  /** Of a device group the device whose state is to be retained. */
  deviceId: z.optional(z.string()),
});

/** A channel whose retained message is not the present state. */
export type OverdueRetention = z.output<typeof overdue>;

/** A message of the queue as it was sent. @throws ZodError, SyntaxError for one that we never sent */
export const readOverdueRetention = (body: string): OverdueRetention => overdue.parse(JSON.parse(body));

/** Has the state of a channel, as it is in two seconds, retained by whoever reads the queue. */
export async function retainLater(channel: OverdueRetention): Promise<void> {
  const QueueUrl = process.env['RETENTION_QUEUE_URL'];
  if (!QueueUrl) throw new Error('RETENTION_QUEUE_URL is not set');
  await client.send(
    new SendMessageCommand({ QueueUrl, MessageBody: JSON.stringify(channel), DelaySeconds: RETRY_DELAY_S }),
  );
}
