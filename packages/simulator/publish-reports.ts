import { EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge';
import { PLATFORM } from '../../domain/values/service';
import { type InboundEvent } from '../../domain/platform/inbound-events';
import { clientConfig, setting } from './settings';

const client = new EventBridgeClient(clientConfig);

/** Maximum entries of PutEvents (EventBridge API reference). */
const MAX_ENTRIES = 10;

/** Publishes events to the bus as the platform, in order. @throws Error when the bus rejects any of them */
export async function publishReports(events: readonly InboundEvent[]): Promise<void> {
  for (let index = 0; index < events.length; index += MAX_ENTRIES) {
    const { FailedEntryCount } = await client.send(
      new PutEventsCommand({
        Entries: events.slice(index, index + MAX_ENTRIES).map(({ type, detail }) => ({
          EventBusName: setting('PLATFORM_BUS'),
          Source: PLATFORM,
          DetailType: type,
          Detail: JSON.stringify(detail),
        })),
      }),
    );
    if (FailedEntryCount) throw new Error(`the bus refused ${FailedEntryCount} events`);
  }
}
