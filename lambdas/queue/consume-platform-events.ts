import type { SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import * as z from 'zod/mini';
import { $ZodError } from 'zod/v4/core';
import { dropReasons, platformEnvelope, type DropReason } from '../../contract/platform';
import { sendToDeadLetterQueue } from '../../data/platform/dead-letter-queue';
import { Refusal } from '../../domain/refusal';
import { logger } from '../logger';
import { ComesEarly, isInboundEvent, applyPlatformEvent } from '../delivery/apply-platform-event';

/** Nothing will make it right: it must not come again. */
const isHopeless = (error: unknown) =>
  error instanceof SyntaxError || error instanceof $ZodError || error instanceof Refusal;

/** What the metric counts it as. */
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
    // A clock that is ahead must not make everything later look late.
    const at = new Date(Math.min(Date.parse(time), now.getTime()));
    const dropped = await applyPlatformEvent(type, { detail, id, at, now });
    if (dropped) logger.warn('a report changed nothing', { type, reason: dropped, eventId: id });
  } catch (error) {
    if (!isHopeless(error)) throw error;
    await sendToDeadLetterQueue(body, reasonOf(error));
    logger.warn('an event of the platform was put aside', { reason: dropReasonOf(error) });
  }
}

/**
 * Queue of what the drone platform says → jobs, fleet and telemetry, in the order in which it comes. What is
 * malformed goes to the queue for failures at once; what could not be done comes again, and goes there in the end.
 */
export async function handler({ Records }: SQSEvent): Promise<SQSBatchResponse> {
  const batchItemFailures: { itemIdentifier: string }[] = [];
  for (const record of Records) {
    try {
      await consume(record);
    } catch (error) {
      batchItemFailures.push({ itemIdentifier: record.messageId });
      if (error instanceof ComesEarly) logger.info('a report comes again later', { eventId: error.message });
      else logger.error('an event of the platform could not be worked on', { error });
    }
  }
  return { batchItemFailures };
}
