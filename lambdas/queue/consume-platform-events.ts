import type { SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import * as z from 'zod/mini';
import { $ZodError } from 'zod/v4/core';
import { dropReasons, platformEnvelope, type DropReason } from '../../contract/platform';
import { sendToDeadLetterQueue } from '../../data/platform/dead-letter-queue';
import { Refusal } from '../../domain/refusal';
import { logger } from '../logger';
import { applyPlatformEvent, EventTooEarly, isInboundEvent, parseDetail } from '../delivery/apply-platform-event';

/** Whether a retry can never succeed. */
const isPermanent = (error: unknown) =>
  error instanceof SyntaxError || error instanceof $ZodError || error instanceof Refusal;

/** The value of the metric's dimension. */
const dropReasonOf = (error: unknown): DropReason =>
  (error instanceof Refusal && dropReasons.find((reason) => reason === error.code)) || 'malformed';

function reasonOf(error: unknown): string {
  if (error instanceof $ZodError) return z.prettifyError(error);
  if (error instanceof Refusal)
    return [error.code, ...error.details.map(({ path, message }) => `${path} ${message}`)].join('; ');
  return error instanceof Error ? error.message : String(error);
}

async function consume({ body }: SQSRecord): Promise<void> {
  try {
    const { id, 'detail-type': type, time, detail } = platformEnvelope.parse(JSON.parse(body));
    if (!isInboundEvent(type))
      throw new Refusal('unknown_action', [{ path: 'detail-type', message: type.slice(0, 64) }]);
    const now = new Date();
    // A sender's clock that is ahead must not make all later events look late.
    const at = new Date(Math.min(Date.parse(time), now.getTime()));
    const dropped = await applyPlatformEvent(type, parseDetail(type, detail), { id, at, now });
    if (dropped) logger.warn('a report changed nothing', { type, reason: dropped, eventId: id });
  } catch (error) {
    if (!isPermanent(error)) throw error;
    await sendToDeadLetterQueue(body, reasonOf(error));
    logger.warn('platform event sent to the dead-letter queue', { reason: dropReasonOf(error) });
  }
}

/**
 * Queue of events of the drone platform → jobs, fleet and telemetry, in the order of arrival. A malformed event is sent to
 * the dead-letter queue at once; one that can't be processed is retried, and moved there in the end.
 */
export async function handler({ Records }: SQSEvent): Promise<SQSBatchResponse> {
  const batchItemFailures: { itemIdentifier: string }[] = [];
  for (const record of Records) {
    try {
      await consume(record);
    } catch (error) {
      batchItemFailures.push({ itemIdentifier: record.messageId });
      if (error instanceof EventTooEarly) logger.info('early report is retried', { eventId: error.message });
      else logger.error('platform event could not be processed', { error });
    }
  }
  return { batchItemFailures };
}
