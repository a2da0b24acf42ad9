import * as z from 'zod/mini';
import { kinds } from '../../domain/id';
import { sendToQueue } from '../store/queue';

/** AWS IoT accepts one retained message per topic and second. */
const RETRY_DELAY_S = 2;

const retentionRequest = z.object({
  kind: z.enum(kinds),
  id: z.string(),
  /** For the channel of a device group: the device whose state is to be retained. */
  deviceId: z.optional(z.string()),
  /**
   * Of the message that was published without retention. The state may be newer, but what the channel had before this cursor has
   * been published: a client that resumes from a later one could miss a change that is just being published.
   */
  cursor: z.optional(z.string()),
});

/** A channel whose retained message is not the current state. */
export type RetentionRequest = z.output<typeof retentionRequest>;

/** Parses a message of the queue. @throws ZodError, SyntaxError for one that this service never sent */
export const readRetentionRequest = (body: string): RetentionRequest => retentionRequest.parse(JSON.parse(body));

/** Requests through the queue of `lambdas/queue/retain-status.ts` that a channel's state in two seconds is retained. */
export const requestRetention = (channel: RetentionRequest): Promise<void> =>
  sendToQueue('RETENTION_QUEUE_URL', channel, RETRY_DELAY_S);
