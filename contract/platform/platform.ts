import * as z from 'zod/mini';
import { PLATFORM } from '../../domain/values/service';
import { moment } from '../../domain/values/text';

// The two tables of events are in `domain/`, because `data/` needs their types to publish them.
export {
  inboundEvents,
  MAX_REPORTED_SAMPLES,
  type InboundDetail,
  type InboundEvent,
  type InboundEventType,
} from '../../domain/platform/inbound-events';
export { commandParameters, isKnownCommand, endsFlight, type KnownCommand } from '../../domain/commands/command';
export { commandReason, type CommandReason } from '../../domain/commands/command-lifecycle';
export { location, type FlightSettings, type Location } from '../../domain/values/destination';
export { dropReasons, type DropReason } from '../../domain/platform/drop-reason';
export type { Progress } from '../../domain/jobs/progress';
export { missionLine, type MissionLine } from '../../domain/missions/mission';
export { isFinal } from '../../domain/jobs/job-lifecycle';
export type { FailureReason } from '../../domain/jobs/job-report';
export { EVENT_VERSION, outboundEvents, type OutboundEventType } from '../../domain/platform/outbound-events';
export { PLATFORM, SERVICE } from '../../domain/values/service';

/** How often the queue of retries delivers an event before it goes to the dead-letter queue. */
export const MAX_RETRIES = 5;

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
