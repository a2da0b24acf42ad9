import { EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge';

const client = new EventBridgeClient({
  maxAttempts: 3,
  requestHandler: { connectionTimeout: 1000, requestTimeout: 2000, throwOnRequestTimeout: true },
});

/** Who we are on the bus. */
const SOURCE = 'drone-mission-api';

/**
 * Tells the drone platform something.
 * @param detailType what, such as `control.requested`
 * @throws Error when the bus did not take it
 */
export async function publishPlatformEvent(detailType: string, detail: object): Promise<void> {
  const EventBusName = process.env['PLATFORM_BUS'];
  if (!EventBusName) throw new Error('PLATFORM_BUS is not set');
  const { FailedEntryCount, Entries } = await client.send(
    new PutEventsCommand({
      Entries: [{ EventBusName, Source: SOURCE, DetailType: detailType, Detail: JSON.stringify(detail) }],
    }),
  );
  if (FailedEntryCount) throw new Error(`the platform bus refused an event: ${Entries?.[0]?.ErrorCode ?? 'unknown'}`);
}
