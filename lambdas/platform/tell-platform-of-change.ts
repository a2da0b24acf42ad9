import { parseChange, recordedAt, type StreamRecord } from '../../data/channels/stream-records';
import { publishPlatformEvent } from '../../data/platform/publish-to-platform';
import { toPlatformEvent } from '../../domain/platform/platform-event';
import type { OutboundEvent } from '../../domain/platform/outbound-events';
import { logger } from '../runtime/logger';
import { digestShareCode } from '../../data/shares/share-id';

/**
 * Publishes a change of a job or a share to the drone platform.
 * @param complete adds to the event what the change does not hold
 */
export async function tellPlatformOfChange(
  record: StreamRecord,
  complete = (event: OutboundEvent): Promise<OutboundEvent> => Promise.resolve(event),
): Promise<void> {
  const change = parseChange(record);
  const event = change && toPlatformEvent(change, recordedAt(record), digestShareCode);
  if (!event) return;
  const { type, detail } = await complete(event);
  await publishPlatformEvent(type, detail);
  // Of a share the line of the other reader is enough: both would be a fiftieth of what its end costs.
  if (change.kind === 'job') logger.info('platform told', { type: event.type });
}
