import * as z from 'zod/mini';
import { PLATFORM } from '../../domain/values/service';
import { moment } from '../../domain/values/text';

/** Most `report.rejected` in a minute: an event that goes wrong may come thousands of times. */
export const MOST_TOLD = 60;

/** The fields of an EventBridge event that this service uses. */
export const platformEnvelope = z.object({
  id: z.string(),
  source: z.literal(PLATFORM),
  'detail-type': z.string(),
  /** When the event happened, to the second; a replay keeps it. */
  time: moment,
  detail: z.unknown(),
});
