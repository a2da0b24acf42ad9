import { EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge';
import { PLATFORM } from '../contract/platform';
import { setting } from './setting';

const client = new EventBridgeClient({
  maxAttempts: 3,
  requestHandler: { connectionTimeout: 1000, requestTimeout: 2000, throwOnRequestTimeout: true },
});

/** EventBridge takes so many in a call. */
const AT_ONCE = 10;

export interface PlatformReport {
  readonly type: 'job.status.reported' | 'device.telemetry.reported' | 'control.outcome.reported';
  readonly detail: object;
}

/** Says something on the bus as the platform, in order. @throws Error when the bus did not take all of it */
export async function publishReports(events: readonly PlatformReport[]): Promise<void> {
  for (let index = 0; index < events.length; index += AT_ONCE) {
    const { FailedEntryCount } = await client.send(
      new PutEventsCommand({
        Entries: events.slice(index, index + AT_ONCE).map(({ type, detail }) => ({
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
