import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { organisationOf } from '../../domain/id';
import type { DeviceState } from '../../domain/telemetry';
import { database, tableNamed } from '../api/stack/aws-access';

/** Lets a device have reported its state, as it is kept at most once a second while it reports. */
export async function report(deviceId: string, state: DeviceState): Promise<void> {
  await database().send(
    new UpdateCommand({
      TableName: await tableNamed('Fleet'),
      Key: { organisation: organisationOf('device', deviceId), id: deviceId },
      UpdateExpression: 'SET lastState = :state, #status = :online ADD version :one',
      ConditionExpression: 'attribute_exists(id)',
      ExpressionAttributeNames: { '#status': 'status' },
      ExpressionAttributeValues: { ':state': JSON.stringify(state), ':online': 'online', ':one': 1 },
    }),
  );
}

/** Lets a device have gone silent. */
export async function goOffline(deviceId: string): Promise<void> {
  await database().send(
    new UpdateCommand({
      TableName: await tableNamed('Fleet'),
      Key: { organisation: organisationOf('device', deviceId), id: deviceId },
      UpdateExpression: 'SET #status = :offline ADD version :one',
      ConditionExpression: 'attribute_exists(id)',
      ExpressionAttributeNames: { '#status': 'status' },
      ExpressionAttributeValues: { ':offline': 'offline', ':one': 1 },
    }),
  );
}
