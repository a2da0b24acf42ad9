import type { Device } from '../domain/fleet';
import type { Organisation } from '../domain/id';
import type { DeviceState } from '../domain/telemetry';
import { BatchGetCommand, UpdateCommand } from './documents';
import { deviceFromItem } from './fleet';
import { wasMade } from './refused-write';
import { dynamodb, table } from './table';

/** A device's state is written at most so often, in ms (DESIGN section 3: 1 Hz). */
const AT_MOST_EVERY = 1000;

/** Of these devices those that the organisation has, as of now; one read for up to 100. */
export async function readDevices(organisation: Organisation, deviceIds: readonly string[]): Promise<Device[]> {
  const Keys = deviceIds.map((id) => ({ organisation, id }));
  const { Responses, UnprocessedKeys } = await dynamodb.send(
    new BatchGetCommand({ RequestItems: { [table('FLEET')]: { Keys, ConsistentRead: true } } }),
  );
  if (UnprocessedKeys?.[table('FLEET')]) throw new Error('the fleet table did not answer for every key');
  return (Responses?.[table('FLEET')] ?? [])
    .map((found) => deviceFromItem(found))
    .filter((found) => found !== undefined);
}

/** Whether a device's state is due to be written; asked first, it spares the write that would be refused. */
export const isDue = ({ reportedAt }: Device, now: Date) =>
  reportedAt === undefined || now.getTime() - Date.parse(reportedAt) >= AT_MOST_EVERY;

/**
 * Keeps what a device of the fleet reported, if it is later than what is known and nothing was kept within the last
 * second; the device is online then.
 */
export async function keepState(
  organisation: Organisation,
  deviceId: string,
  state: DeviceState,
  now: Date,
): Promise<void> {
  await wasMade(
    dynamodb.send(
      new UpdateCommand({
        TableName: table('FLEET'),
        Key: { organisation, id: deviceId },
        UpdateExpression:
          'SET lastState = :state, stateAt = :stateAt, reportedAt = :now, #status = :online ADD version :one',
        ConditionExpression:
          'attribute_exists(deviceId) AND (attribute_not_exists(stateAt) OR stateAt < :stateAt)' +
          ' AND (attribute_not_exists(reportedAt) OR reportedAt <= :before)',
        ExpressionAttributeNames: { '#status': 'status' },
        ExpressionAttributeValues: {
          ':state': JSON.stringify(state),
          ':stateAt': state.timestamp,
          ':now': now.toISOString(),
          ':before': new Date(now.getTime() - AT_MOST_EVERY).toISOString(),
          ':online': 'online',
          ':one': 1,
        },
      }),
    ),
  );
}

/** Makes a device offline that has not been heard of since `reportedAt`; one that spoke in between stays online. */
export async function endSilently(organisation: Organisation, deviceId: string, reportedAt: string): Promise<void> {
  await wasMade(
    dynamodb.send(
      new UpdateCommand({
        TableName: table('FLEET'),
        Key: { organisation, id: deviceId },
        UpdateExpression: 'SET #status = :offline ADD version :one',
        ConditionExpression: 'reportedAt = :reportedAt AND #status = :online',
        ExpressionAttributeNames: { '#status': 'status' },
        ExpressionAttributeValues: { ':offline': 'offline', ':online': 'online', ':reportedAt': reportedAt, ':one': 1 },
      }),
    ),
  );
}
