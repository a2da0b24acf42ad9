import { DeleteCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { fleetKey } from '../../data/fleet/fleet-key';
import { newId } from '../../data/store/new-id';
import { organisationOf } from '../../domain/values/id';
import { database, tableNamed } from '../api/stack/aws-access';
import { standingItem } from './standing-item';

/** Puts a device into a group that is in the air, as if it had reported it; returns its identifier. */
export async function givenFlyingDevice(deviceGroupId: string): Promise<string> {
  const organisation = organisationOf('group', deviceGroupId) ?? '';
  const timestamp = new Date().toISOString();
  const deviceId = newId('device', organisation, timestamp);
  const {
    standsIn: _in,
    standsAt: _at,
    ...item
  } = standingItem(organisation, {
    deviceId,
    deviceGroupId,
    place: [8.5417, 47.3769],
  });
  const lastState = JSON.stringify({ timestamp, droneState: 'WAYPOINT' });
  await database().send(
    new PutCommand({
      TableName: await tableNamed('Fleet'),
      Item: { ...item, lastState, takeOff: { timestamp } },
    }),
  );
  return deviceId;
}

/** Takes a device away again. */
export async function removeDevice(deviceId: string): Promise<void> {
  const Key = fleetKey(organisationOf('device', deviceId) ?? '', deviceId);
  await database().send(new DeleteCommand({ TableName: await tableNamed('Fleet'), Key }));
}
