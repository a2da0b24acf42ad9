/** Whether a device is online, apart from the states that it reports. */
import type { Device } from '../../domain/fleet';
import type { Organisation } from '../../domain/id';
import { UpdateCommand } from '../store/document-client';
import { SAVE_INTERVAL_MS } from './device-state';
import { succeeded } from '../store/conditional-write';
import { fleetKey } from './fleet-key';
import { dynamodb, table } from '../store/dynamodb';

/** Whether a report without a newer state is to be recorded: for an online device one per second is. */
export const isReportDue = ({ status, reportedAt }: Device, now: Date) =>
  status !== 'online' || reportedAt === undefined || now.getTime() - Date.parse(reportedAt) >= SAVE_INTERVAL_MS;

/**
 * Records a report without a newer state; the device is online then.
 * @param device as it was read
 */
export async function recordReport(organisation: Organisation, device: Device, now: Date): Promise<void> {
  const isOnline = device.status === 'online';
  await succeeded(
    dynamodb.send(
      new UpdateCommand({
        TableName: table('fleet'),
        Key: fleetKey(organisation, device.deviceId),
        UpdateExpression: isOnline
          ? 'SET reportedAt = :now REMOVE quiet'
          : 'SET reportedAt = :now, #status = :online, presentIn = :organisation REMOVE quiet ADD version :one',
        ConditionExpression: isOnline
          ? '#status = :online AND reportedAt < :now'
          : 'attribute_exists(deviceId) AND #status <> :online',
        ExpressionAttributeNames: { '#status': 'status' },
        ExpressionAttributeValues: {
          ':now': now.toISOString(),
          ':online': 'online',
          ...(!isOnline && { ':organisation': organisation, ':one': 1 }),
        },
      }),
    ),
  );
}

/**
 * Marks a device as offline if its last report is still the one of `reportedAt`.
 * @returns false when it has reported since, or is offline or removed already
 */
export function markOffline(organisation: Organisation, deviceId: string, reportedAt: string): Promise<boolean> {
  return succeeded(
    dynamodb.send(
      new UpdateCommand({
        TableName: table('fleet'),
        Key: fleetKey(organisation, deviceId),
        UpdateExpression: 'SET #status = :offline REMOVE presentIn, quiet ADD version :one',
        ConditionExpression: 'reportedAt = :reportedAt AND #status = :online',
        ExpressionAttributeNames: { '#status': 'status' },
        ExpressionAttributeValues: { ':offline': 'offline', ':online': 'online', ':reportedAt': reportedAt, ':one': 1 },
      }),
    ),
  );
}
