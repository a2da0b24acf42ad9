import * as z from 'zod/mini';
import { $ZodError } from 'zod/v4/core';
import { dropReasons, platformEnvelope, type DropReason } from '../../contract/platform';
import { sendToDeadLetterQueue } from '../../data/platform/dead-letter-queue';
import { Refusal } from '../../domain/refusal';
import { logger } from '../logger';
import { applyPlatformEvent, isInboundEvent, parseDetail } from './apply-platform-event';

/** Whether a retry can never succeed. */
const isPermanent = (error: unknown) =>
  error instanceof SyntaxError || error instanceof $ZodError || error instanceof Refusal;

const dropReasonOf = (error: unknown): DropReason =>
  (error instanceof Refusal && dropReasons.find((reason) => reason === error.code)) || 'malformed';

function reasonOf(error: unknown): string {
  if (error instanceof $ZodError) return z.prettifyError(error);
  if (error instanceof Refusal)
    return [error.code, ...error.details.map(({ path, message }) => `${path} ${message}`)].join('; ');
  return error instanceof Error ? error.message : String(error);
}

async function apply(event: unknown): Promise<void> {
  const { id, 'detail-type': type, time, detail } = platformEnvelope.parse(event);
  if (!isInboundEvent(type)) throw new Refusal('unknown_action', [{ path: 'detail-type', message: type.slice(0, 64) }]);
  const now = new Date();
  // A sender's clock that is ahead must not make all later events look late.
  const at = new Date(Math.min(Date.parse(time), now.getTime()));
  const dropped = await applyPlatformEvent(type, parseDetail(type, detail), { id, at, now });
  if (dropped) logger.warn('a report changed nothing', { type, reason: dropped, eventId: id });
}

/** An event as it arrived. */
export interface ReceivedEvent {
  /** @throws SyntaxError for a text that is not JSON */
  parse(): unknown;
  text(): string;
}

/**
 * Applies an event of the drone platform. A malformed one is sent to the dead-letter queue, unchanged and with the reason.
 * @throws EventTooEarly, or any other error, when a retry may succeed
 */
export async function consumePlatformEvent(event: ReceivedEvent): Promise<void> {
  try {
    await apply(event.parse());
  } catch (error) {
    if (!isPermanent(error)) throw error;
    await sendToDeadLetterQueue(event.text(), reasonOf(error));
    logger.warn('platform event sent to the dead-letter queue', { reason: dropReasonOf(error) });
  }
}
