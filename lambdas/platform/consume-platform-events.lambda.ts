import type { SQSBatchResponse } from 'aws-lambda';
import * as z from 'zod/mini';
import { MAX_RETRIES } from '../../contract/platform/event-retries';
import { readCommandDeadline } from '../../data/commands/schedule-command-deadline';
import { readTakeDeadline } from '../../data/jobs/schedule-take-deadline';
import { sendToQueue } from '../../data/store/queue';
import { logger } from '../runtime/logger';
import { applyPlatformEvent } from './apply-platform-event';
import { timeOutCommand } from '../commands/end-command';
import { failUntakenJob } from '../jobs/fail-jobs';
import { EventTooEarly } from './occurrence';

/** When an event is tried again that could not be applied, in s; and one whose predecessor has not been applied yet. */
const RETRY_AFTER_S = 30;
const EARLY_RETRY_AFTER_S = 2;

const received = z.object({
  messageId: z.string(),
  body: z.string(),
  attributes: z.object({ ApproximateReceiveCount: z.coerce.number() }),
});

/** What the queue of retries sends; an event of the bus has no such field. */
const batch = z.object({ Records: z.array(received) });
type Batch = z.output<typeof batch>;

/**
 * Applies an event of the bus, or puts it into the queue of retries.
 * @throws when the queue does not accept it: Lambda retries
 */
async function receive(event: object): Promise<void> {
  try {
    await applyPlatformEvent({ parse: () => event, text: () => JSON.stringify(event) });
  } catch (error) {
    const isEarly = error instanceof EventTooEarly;
    const rest = isEarly ? (error.rest ?? event) : event;
    await sendToQueue('RETRY_QUEUE_URL', rest, isEarly ? EARLY_RETRY_AFTER_S : RETRY_AFTER_S);
    if (isEarly) logger.info('early report is retried', { eventId: error.message });
    else logger.warn('platform event is retried from the queue', { error });
  }
}

/**
 * Puts what is early of an event into the queue in its place, since the rest of it is done.
 * @returns whether the queue accepted it
 */
const requeued = (rest: object): Promise<boolean> =>
  sendToQueue('RETRY_QUEUE_URL', rest, EARLY_RETRY_AFTER_S).then(
    () => true,
    () => false,
  );

/** What a deadline in the queue is about: a job that nobody took, or a command; undefined for an event of the platform. */
function deadlineIn(body: string) {
  try {
    const message: unknown = JSON.parse(body);
    const [jobId, command] = [readTakeDeadline(message), readCommandDeadline(message)];
    return jobId === undefined && !command ? undefined : { jobId, command };
  } catch {
    return undefined;
  }
}

/** Applies a deadline. @param id of its message */
async function applyDeadline(
  { jobId, command }: NonNullable<ReturnType<typeof deadlineIn>>,
  id: string,
): Promise<void> {
  const now = new Date();
  if (jobId !== undefined) await failUntakenJob(jobId, `deadline/${id}`, now);
  if (command) await timeOutCommand(command, now);
}

/** Applies the events of a batch in the order of arrival. */
async function retry({ Records }: Batch): Promise<SQSBatchResponse> {
  const batchItemFailures: { itemIdentifier: string }[] = [];
  for (const { messageId, body, attributes } of Records) {
    const isLastAttempt = attributes.ApproximateReceiveCount >= MAX_RETRIES;
    try {
      const deadline = deadlineIn(body);
      if (deadline) await applyDeadline(deadline, messageId);
      else await applyPlatformEvent({ parse: () => JSON.parse(body) as unknown, text: () => body, isLastAttempt });
    } catch (error) {
      const isRequeued = error instanceof EventTooEarly && error.rest !== undefined && (await requeued(error.rest));
      if (!isRequeued) batchItemFailures.push({ itemIdentifier: messageId });
      if (error instanceof EventTooEarly) logger.info('early report is retried', { eventId: error.message });
      else logger.error('platform event could not be processed', { error });
    }
  }
  return { batchItemFailures };
}

/**
 * An event of the drone platform, or a batch of the queue of those to try again, and of deadlines → jobs, fleet and
 * telemetry. A malformed event is sent to the dead-letter queue at once; one that can't be processed is retried from
 * the queue, and moved there in the end.
 */
export async function handler(event: object): Promise<SQSBatchResponse | undefined> {
  const queued = batch.safeParse(event);
  if (queued.success) return retry(queued.data);
  await receive(event);
  return undefined;
}
