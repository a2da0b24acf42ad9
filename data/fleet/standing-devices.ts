/**
 * Where devices stand, for the ranking of a dispatch: in a sparse index that only those on the ground are in
 * (`lib/foundation/tables.ts`).
 */
import * as z from 'zod/mini';
import { standingPlace, type Place, type Standing, type StandingDevice } from '../../domain/fleet/standing-device';
import type { Organisation } from '../../domain/values/id';
import { table } from '../store/dynamodb';
import { parseItems, queryToEnd } from '../store/query';

/** About eleven metres, so that a receiver that is not quite still does not write the index. */
const DIGITS = 4;

const textOf = (place: Place) => place.map((degrees) => degrees.toFixed(DIGITS)).join(',');

const item = z.object({
  id: z.string(),
  deviceGroupId: z.string(),
  status: z.string(),
  standsAt: z.pipe(
    z.pipe(
      z.string(),
      z.transform((text) => text.split(',').map(Number)),
    ),
    z.tuple([z.number(), z.number()]),
  ),
});

/** @throws Error for an item that can't be parsed */
function readStanding(found: Record<string, unknown>): StandingDevice {
  const { id, deviceGroupId, standsAt, status } = item.parse(found);
  return { deviceId: id, deviceGroupId, place: standsAt, isOnline: status === 'online' };
}

/** The attributes that say where a device stands; undefined: it has none. */
export function standingOf(organisation: Organisation, device: Standing) {
  const place = standingPlace(device);
  return { standsIn: place && organisation, standsAt: place && textOf(place) };
}

/**
 * The devices of an organisation that stand, as of a moment ago. Where a device stands is known to about ten metres.
 * @param deviceGroupId only those of this group
 */
export async function listStandingDevices(
  organisation: Organisation,
  deviceGroupId: string | undefined,
): Promise<StandingDevice[]> {
  const found = await queryToEnd({
    TableName: table('fleet'),
    IndexName: 'standing',
    KeyConditionExpression: 'standsIn = :organisation',
    ProjectionExpression: 'id, deviceGroupId, standsAt, #status',
    ExpressionAttributeNames: { '#status': 'status' },
    ...(deviceGroupId !== undefined && { FilterExpression: 'deviceGroupId = :group' }),
    ExpressionAttributeValues: {
      ':organisation': organisation,
      ...(deviceGroupId !== undefined && { ':group': deviceGroupId }),
    },
  });
  return parseItems(found, readStanding);
}
