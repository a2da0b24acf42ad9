/** When a command times out: messages in the queue of retries. */
import * as z from 'zod/mini';
import type { CommandKey } from './commands';
import { sendToQueue } from '../store/queue';

const deadline = z.strictObject({ dueCommand: z.object({ deviceId: z.string(), commandId: z.string() }) });

/** The longest delay of SQS is longer than the longest timeout (SQS API reference, SendMessage). */
export const scheduleCommandDeadline = ({ deviceId, commandId }: CommandKey, endBefore: string, now: Date) => {
  const delayS = Math.max(0, Math.ceil((Date.parse(endBefore) - now.getTime()) / 1000));
  const message: z.output<typeof deadline> = { dueCommand: { deviceId, commandId } };
  return sendToQueue('RETRY_QUEUE_URL', message, delayS);
};

/** The command that a message of the queue is about; undefined for another message. */
export const readCommandDeadline = (message: unknown): CommandKey | undefined =>
  deadline.safeParse(message).data?.dueCommand;
