import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { newId } from '../../data/store/new-id';
import { organisationOf } from '../../domain/values/id';
import { database, tableNamed } from '../api/stack/aws-access';
import { standingItem } from './standing-item';

/** Puts charged devices into a group that stand near a place, nearest first, as if they had reported it; returns their identifiers. @param measuredAt when */
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
