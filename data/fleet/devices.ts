import * as z from 'zod/mini';
import {
  deviceRecord,
  deviceGroupRecord,
  deviceStream,
  groupDevices,
  type Device,
  type GroupWithDevices,
} from '../../domain/fleet/device';
import { organisationOf, type Organisation } from '../../domain/values/id';
import { Refusal } from '../../domain/values/refusal';
import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { devicePartitions, fleetKey, registryPartition } from './fleet-key';
import { expectOwnDevice } from './registered-parts';
import { readMetadata } from '../store/metadata-text';
import { storedState } from './state-text';
import { parseItems, queryToEnd } from '../store/query';
import { dynamodb, table } from '../store/dynamodb';

/** The table holds three kinds of item under the keys of `fleet-key.ts`, and for a while a tombstone of each removed one. */
const item = z.discriminatedUnion('kind', [
  z.extend(deviceGroupRecord, { kind: z.literal('group') }),
  z.extend(deviceRecord, {
    kind: z.literal('device'),
    capabilities: z.pipe(z.transform(readMetadata), deviceRecord.shape.capabilities),
  }),
  z.extend(deviceStream, { kind: z.literal('stream') }),
  z.object({ kind: z.literal('removed') }),
]);

/** Parses an item of the fleet; undefined for no item or a tombstone. @throws Error when it can't be parsed */
function partFromItem(found: Record<string, unknown> | undefined) {
  const parsed = found && item.parse({ ...found, lastState: storedState(found) });
  return parsed?.kind === 'removed' ? undefined : parsed;
}

const partsFrom = (found: readonly Record<string, unknown>[] | undefined) =>
  parseItems(found ?? [], partFromItem).filter((part) => part !== undefined);

/** Parses a device; undefined for an item of another kind. @throws Error when it can't be parsed */
export function deviceFromItem(found: Record<string, unknown> | undefined): Device | undefined {
  const part = partFromItem(found);
  return part?.kind === 'device' ? part : undefined;
}

/**
 * A device with its last known state, or undefined when it does not exist.
 * @param isConsistent whether the state of a moment ago will not do
 */
export async function readDevice(
  organisation: Organisation,
  deviceId: string,
  isConsistent = false,
): Promise<Device | undefined> {
  const { Item } = await dynamodb.send(
    new GetCommand({
      TableName: table('fleet'),
      Key: fleetKey(organisation, deviceId),
      ...(isConsistent && { ConsistentRead: true }),
    }),
  );
  return deviceFromItem(Item);
}

/**
 * A device of the organisation as it is now; one read.
 * @throws Refusal `resource_not_found`, or `forbidden` when it is another organisation's
 */
export async function findDevice(caller: Organisation, deviceId: string): Promise<Device> {
  expectOwnDevice(caller, deviceId);
  const device = await readDevice(caller, deviceId, true);
  if (!device) throw new Refusal('resource_not_found');
  return device;
}

/** The groups or the devices in a partition, in the order of their creation. */
async function listPartition(partition: string, kind: 'group' | 'device') {
  return partsFrom(
    await queryToEnd({
      TableName: table('fleet'),
      KeyConditionExpression: 'fleetPartition = :partition AND begins_with(id, :kind)',
      ExpressionAttributeValues: { ':partition': partition, ':kind': `${kind}-` },
    }),
  );
}

/** All device groups of the organisation with their devices, in the order of their creation. */
export async function listDeviceGroups(organisation: Organisation): Promise<GroupWithDevices[]> {
  const found = await Promise.all([
    listPartition(registryPartition(organisation), 'group'),
    ...devicePartitions(organisation).map((partition) => listPartition(partition, 'device')),
  ]);
  const devices = found.flat().filter((each) => each.kind === 'device');
  return groupDevices(
    found.flat().filter((each) => each.kind === 'group'),
    devices.sort((one, other) => (one.deviceId < other.deviceId ? -1 : 1)),
  );
}

/** A device group of the organisation with its devices, or undefined. */
export async function listGroup(organisation: Organisation, deviceGroupId: string) {
  const groups = await listDeviceGroups(organisation);
  return groups.find((group) => group.deviceGroupId === deviceGroupId);
}

/**
 * The devices of a group of the organisation, or the one device, that the identifier names. The one device as it is
 * now: what it reported before its first follower was noted was sent to nobody.
 */
export async function readNamedDevices(organisation: Organisation, id: string): Promise<Device[]> {
  if (organisationOf('group', id)) return (await listGroup(organisation, id))?.devices ?? [];
  const found = await readDevice(organisation, id, true);
  return found ? [found] : [];
}
