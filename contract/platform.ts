import * as z from 'zod/mini';
import { PLATFORM } from '../domain/service';
import { moment } from '../domain/text';

// The two tables of events are in `domain/`, because `data/` needs their types to publish them.
export {
  inboundEvents,
  MAX_REPORTED_SAMPLES,
  type InboundDetail,
  type InboundEvent,
  type InboundEventType,
} from '../domain/inbound-events';
export { outboundEvents, type OutboundEventType } from '../domain/outbound-events';
export { PLATFORM, SERVICE } from '../domain/service';

/** How often the queue of retries delivers an event before it goes to the dead-letter queue. */
export const MAX_RETRIES = 5;

/** Why an event of the platform was ignored or sent to the dead-letter queue, in the log: no texts of errors. */
export const dropReasons = [
  'late',
  'repeated',
  'late or repeated',
  'contradictory',
  'unknown',
  'malformed',
  'invalid_request',
  'unknown_action',
  'forbidden',
] as const;
export type DropReason = (typeof dropReasons)[number];

/** The fields of an EventBridge event that this service uses. */
export const platformEnvelope = z.object({
  id: z.string(),
  source: z.literal(PLATFORM),
  'detail-type': z.string(),
  /** When the event happened, to the second; a replay keeps it. */
  time: moment,
  detail: z.unknown(),
});
