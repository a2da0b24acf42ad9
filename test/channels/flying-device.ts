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

/**
 * Puts charged devices into a group that stand near a place, nearest first, as if they had reported it; returns their
 * identifiers.
 * @param measuredAt when
 */
export async function givenFreeDevices(
  deviceGroupId: string,
  count: number,
  [longitude, latitude]: readonly [number, number] = [8.5417, 47.3769],
  measuredAt = new Date(),
): Promise<string[]> {
  const organisation = organisationOf('group', deviceGroupId) ?? '';
  const TableName = await tableNamed('Fleet');
  const now = new Date().toISOString();
  const deviceIds = Array.from({ length: count }, () => newId('device', organisation, now));
  for (const [index, deviceId] of deviceIds.entries()) {
    const place = [longitude, latitude + (index + 1) * 0.0001] as const;
    await database().send(
      new PutCommand({ TableName, Item: standingItem(organisation, { deviceId, deviceGroupId, place, measuredAt }) }),
    );
  }
  return deviceIds;
}
