/** Until when the platform has to queue a dispatched job: messages in the queue of retries. */
import * as z from 'zod/mini';
import { TAKEN_WITHIN_S } from '../../domain/jobs/take-deadline';
import { sendToQueue } from '../store/queue';

const deadline = z.strictObject({ untakenJob: z.string() });

/** Schedules the check whether the platform has queued a job. */
export const scheduleTakeDeadline = (jobId: string): Promise<void> =>
  sendToQueue('RETRY_QUEUE_URL', { untakenJob: jobId } satisfies z.output<typeof deadline>, TAKEN_WITHIN_S);

/** The job that a message of the queue is about; undefined for an event of the platform. */
export const readTakeDeadline = (message: unknown): string | undefined => deadline.safeParse(message).data?.untakenJob;
