import * as z from 'zod/mini';
import { kinds } from '../../domain/values/id';
import { sendToQueue } from '../store/queue';

/** AWS IoT accepts one retained message per topic and second. */
const RETRY_DELAY_S = 2;

/** Maximum of SQS (API reference, SendMessage), in seconds. */
const LONGEST_DELAY_S = 900;

const retentionRequest = z.object({
  kind: z.enum(kinds),
  id: z.string(),
  /** For the channel of a device group: the device whose state is to be retained. */
  deviceId: z.optional(z.string()),
  /**
   * For the channel of a device group: that of the message that was published without retention. The state may be
   * newer, but what the channel had before this cursor has been published: a client that resumes from a later one could
   * miss a change that is just being published.
   */
  cursor: z.optional(z.string()),
  /** How often it was requested before without success. */
  attempt: z._default(z.int(), 0),
});

/** A channel whose retained message is not the current state. */
export type RetentionRequest = z.output<typeof retentionRequest>;

/** Parses a message of the queue. @throws ZodError, SyntaxError for one that this service never sent */
export const readRetentionRequest = (body: string): RetentionRequest => retentionRequest.parse(JSON.parse(body));

/**
 * Requests through the queue of `lambdas/channels/retain-status.lambda.ts` that a channel's state in two seconds is
 * retained, and later each time that it fails.
 */
export const requestRetention = (request: z.input<typeof retentionRequest>): Promise<void> =>
  sendToQueue('RETENTION_QUEUE_URL', request, Math.min(RETRY_DELAY_S * 2 ** (request.attempt ?? 0), LONGEST_DELAY_S));
