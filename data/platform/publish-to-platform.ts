import { EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge';
import { EVENT_VERSION, type OutboundDetail, type OutboundEventType } from '../../domain/platform/outbound-events';
import { SERVICE } from '../../domain/values/service';
import { clientConfig } from '../store/client-config';
import { setting } from '../store/environment';

const client = new EventBridgeClient(clientConfig());

/** Maximum of entries of PutEvents (EventBridge API reference). Ten jobs stay below its 256 kB: one is below 25 kB. */
export const MAX_ENTRIES = 10;

/**
 * Publishes an event to the drone platform.
 * @throws Error when EventBridge did not accept it
 */
export const publishPlatformEvent = <Type extends OutboundEventType>(
  type: Type,
  detail: OutboundDetail<Type>,
): Promise<void> => publishPlatformEvents(type, [detail]);

/**
 * Publishes events of one type by one call.
 * @param details at most {@link MAX_ENTRIES}
 * @throws Error when EventBridge did not accept one of them
 */
export async function publishPlatformEvents<Type extends OutboundEventType>(
  type: Type,
  details: readonly OutboundDetail<Type>[],
): Promise<void> {
  const entry = { EventBusName: setting('PLATFORM_BUS'), Source: SERVICE, DetailType: type };
  const Entries = details.map((detail) => ({
    ...entry,
    Detail: JSON.stringify({ eventVersion: EVENT_VERSION, ...detail }),
  }));
  const { FailedEntryCount, Entries: results } = await client.send(new PutEventsCommand({ Entries }));
  const code = results?.find(({ ErrorCode }) => ErrorCode !== undefined)?.ErrorCode;
  if (FailedEntryCount) throw new Error(`the platform bus refused an event: ${code ?? 'unknown'}`);
}
