import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { fleetKey } from '../../data/fleet/fleet-key';
import { standingUpdate } from '../../data/fleet/standing-devices';
import { newId } from '../../data/store/new-id';
import { organisationOf } from '../../domain/id';
import { database, tableNamed } from '../api/stack/aws-access';

/** Puts charged devices into a group that stand near a place, as if they had reported it; returns their identifiers. */
export async function givenFreeDevices(
  deviceGroupId: string,
  count: number,
  [longitude, latitude]: readonly [number, number] = [8.5417, 47.3769],
): Promise<string[]> {
  const organisation = organisationOf('group', deviceGroupId) ?? '';
  const TableName = await tableNamed('Fleet');
  const timestamp = new Date().toISOString();
  const deviceIds = Array.from({ length: count }, () => newId('device', organisation, timestamp));
  const put = (deviceId: string, index: number) => {
    const state = {
      timestamp,
      droneState: 'DOCKED',
      navigation: {
        position: {
          type: 'Point' as const,
          coordinates: [longitude, latitude + (index + 1) * 0.0001, 440] as [number, number, number],
        },
      },
      battery: { percent: 90 },
    };
    const { values } = standingUpdate(organisation, state);
    const Item = {
      ...fleetKey(organisation, deviceId),
      kind: 'device',
      deviceId,
      deviceGroupId,
      name: `Kestrel ${index}`,
      status: 'online',
      version: 1,
      lastState: JSON.stringify(state),
      standsIn: values[':standsIn'],
      standsAt: values[':standsAt'],
    };
    return database().send(new PutCommand({ TableName, Item }));
  };
  for (const [index, deviceId] of deviceIds.entries()) await put(deviceId, index);
  return deviceIds;
}
