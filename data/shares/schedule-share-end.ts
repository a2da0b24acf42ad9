import { createHash } from 'node:crypto';
import {
  ConflictException,
  CreateScheduleCommand,
  DeleteScheduleCommand,
  ResourceNotFoundException,
  SchedulerClient,
} from '@aws-sdk/client-scheduler';
import * as z from 'zod/mini';
import type { Share } from '../../domain/shares/share';
import { clientConfig } from '../store/client-config';
import { setting } from '../store/environment';
import { sendToQueue } from '../store/queue';

const shareEnd = z.object({ shareCode: z.string(), expiresAt: z.iso.datetime() });
/** When a share ends; the message of the queue of `lambdas/shares/expire-shares.lambda.ts`. */
export type ShareEnd = z.output<typeof shareEnd>;

/** Parses a message of the queue. @throws ZodError, SyntaxError for one that this service never sent */
export const readShareEnd = (body: string): ShareEnd => shareEnd.parse(JSON.parse(body));

let client: SchedulerClient | undefined;
/** Created when first needed: the function that ends shares needs none. */
const scheduler = () => (client ??= new SchedulerClient(clientConfig({ requestTimeoutMs: 5000 })));

/** SQS delays a message for at most this long (SQS developer guide, "Message timers"), in ms. */
const MAX_DELAY_MS = 900_000;
/**
 * How long before the end a schedule sends the message, which is then delayed for what is left, in ms: EventBridge Scheduler may
 * be a minute late, and the rest is time for its retries.
 */
const LEAD_TIME_MS = 600_000;

/** Schedule names are listed and logged, so they contain a digest of the share code, which gives access. */
const nameOf = ({ shareCode }: Share) => `share-${createHash('sha256').update(shareCode).digest('hex').slice(0, 40)}`;

/** Scheduler's `at` expression has no milliseconds and no offset; the time is UTC. */
const at = (milliseconds: number) => `at(${new Date(milliseconds).toISOString().slice(0, 19)})`;

/**
 * A share may end so late, in ms. Its end is known a moment after its creation and SQS delays by whole seconds, so that
 * a function would nearly always wait for the better part of a second, which costs more than all else that it does.
 */
const LATE_MS = 250;

/**
 * Sends a share's end to the queue, delayed by whole seconds: it arrives between 750 ms before the end and 250 ms after it.
 * @param leftMs until the end, at most 15 minutes
 */
export const delayShareEnd = ({ shareCode, expiresAt }: ShareEnd, leftMs: number): Promise<void> =>
  sendToQueue('SHARE_END_QUEUE_URL', { shareCode, expiresAt }, Math.max(Math.ceil((leftMs - LATE_MS) / 1000), 0));

/**
 * Schedules the end of a share at its expiry, by a delayed message, or by a schedule that sends the message later; no effect when
 * that schedule exists.
 */
export async function scheduleExpiry(share: Share): Promise<void> {
  const { shareCode, expiresAt } = share;
  const end = Date.parse(expiresAt);
  const left = end - Date.now();
  if (left <= MAX_DELAY_MS) return delayShareEnd(share, left);
  try {
    await scheduler().send(
      new CreateScheduleCommand({
        GroupName: setting('EXPIRY_SCHEDULE_GROUP'),
        Name: nameOf(share),
        ScheduleExpression: at(end - LEAD_TIME_MS),
        ScheduleExpressionTimezone: 'UTC',
        FlexibleTimeWindow: { Mode: 'OFF' },
        ActionAfterCompletion: 'DELETE',
        Target: {
          Arn: setting('SHARE_END_QUEUE_ARN'),
          RoleArn: setting('EXPIRY_ROLE_ARN'),
          Input: JSON.stringify({ shareCode, expiresAt }),
          DeadLetterConfig: { Arn: setting('EXPIRY_FAILURES_ARN') },
        },
      }),
    );
  } catch (error) {
    if (!(error instanceof ConflictException)) throw error;
  }
}

/** Deletes the schedule of a share that has ended; no effect when it has none. A message that was sent finds no share. */
export async function cancelExpiry(share: Share): Promise<void> {
  try {
    const name = { GroupName: setting('EXPIRY_SCHEDULE_GROUP'), Name: nameOf(share) };
    await scheduler().send(new DeleteScheduleCommand(name));
  } catch (error) {
    if (!(error instanceof ResourceNotFoundException)) throw error;
  }
}
