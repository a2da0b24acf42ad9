import { EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge';
import type { OutboundDetail, OutboundEventType } from '../../domain/outbound-events';
import { SERVICE } from '../../domain/service';
import { clientConfig } from '../store/client-config';
import { setting } from '../store/environment';

const client = new EventBridgeClient(clientConfig());

/**
 * Publishes an event to the drone platform.
 * @throws Error when EventBridge did not accept it
 */
export async function publishPlatformEvent<Type extends OutboundEventType>(
  type: Type,
  detail: OutboundDetail<Type>,
): Promise<void> {
  const EventBusName = setting('PLATFORM_BUS');
  const { FailedEntryCount, Entries } = await client.send(
    new PutEventsCommand({
      Entries: [{ EventBusName, Source: SERVICE, DetailType: type, Detail: JSON.stringify(detail) }],
    }),
  );
  if (FailedEntryCount) throw new Error(`the platform bus refused an event: ${Entries?.[0]?.ErrorCode ?? 'unknown'}`);
}
