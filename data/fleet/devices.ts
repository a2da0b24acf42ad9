import * as z from 'zod/mini';
import {
  deviceRecord,
  deviceGroupRecord,
  deviceStream,
  groupDevices,
  type Device,
  type GroupWithDevices,
} from '../../domain/fleet/device';
import { organisationOf, type Kind, type Organisation } from '../../domain/values/id';
import { Refusal, foreign, invalid } from '../../domain/values/refusal';
import { BatchGetCommand, GetCommand } from '@aws-sdk/lib-dynamodb';
import { devicePartitions, fleetKey, registryPartition } from './fleet-key';
import { listStreams } from './fleet-registry';
import { readMetadata } from '../store/metadata-text';
import { parseItems, queryToEnd } from '../store/query';
import { dynamodb, table } from '../store/dynamodb';

/** The table holds three kinds of item under the keys of `fleet-key.ts`, and for a while a tombstone of each removed one. */
const item = z.discriminatedUnion('kind', [
  z.extend(deviceGroupRecord, { kind: z.literal('group') }),
  z.extend(deviceRecord, {
    kind: z.literal('device'),
    // Stored as JSON text, since sensor data may have any shape.
    lastState: z.pipe(z.transform(readMetadata), deviceRecord.shape.lastState),
    capabilities: z.pipe(z.transform(readMetadata), deviceRecord.shape.capabilities),
  }),
  z.extend(deviceStream, { kind: z.literal('stream') }),
  z.object({ kind: z.literal('removed') }),
]);

/** Parses an item of the fleet; undefined for no item or a tombstone. @throws Error when it can't be parsed */
function partFromItem(found: Record<string, unknown> | undefined) {
  const parsed = found && item.parse(found);
  return parsed?.kind === 'removed' ? undefined : parsed;
}

const partsFrom = (found: readonly Record<string, unknown>[] | undefined) =>
  parseItems(found ?? [], partFromItem).filter((part) => part !== undefined);

/** Parses a device; undefined for an item of another kind. @throws Error when it can't be parsed */
export function deviceFromItem(found: Record<string, unknown> | undefined): Device | undefined {
  const part = partFromItem(found);
  return part?.kind === 'device' ? part : undefined;
}

function fleetItemKey(kind: Kind, id: string) {
  const organisation = organisationOf(kind, id);
  return organisation && fleetKey(organisation, id);
}

/** Up to 100 items of the fleet, strongly consistent, by one read. @throws Error when DynamoDB left out a key */
export async function readBatch(Keys: ReturnType<typeof fleetKey>[]): Promise<Record<string, unknown>[]> {
  const name = table('fleet');
  const { Responses, UnprocessedKeys } = await dynamodb.send(
    new BatchGetCommand({ RequestItems: { [name]: { Keys, ConsistentRead: true } } }),
  );
  // A key that DynamoDB left out under throttling may exist.
  if (UnprocessedKeys?.[name]) throw new Error('the batch read left out keys');
  return Responses?.[name] ?? [];
}

/**
 * Checks in one read that a device group, and a device of it if one is given, belong to the organisation.
 * @throws Refusal `device_group_not_found`, `forbidden` when it is another organisation's,
 *   `invalid_request` when the device is not one of the group
 */
export async function expectDeviceGroup(caller: Organisation, deviceGroupId: string, deviceId?: string): Promise<void> {
  const groupKey = fleetItemKey('group', deviceGroupId);
  if (!groupKey) throw new Refusal('device_group_not_found');
  const deviceKey = deviceId === undefined ? undefined : fleetItemKey('device', deviceId);
  const read = await readBatch([groupKey, ...(deviceKey ? [deviceKey] : [])]);
  const found = read.flatMap((each) => partFromItem(each) ?? []);
  if (!found.some((each) => each.kind === 'group')) throw new Refusal('device_group_not_found');
  if (organisationOf('group', deviceGroupId) !== caller) throw foreign('deviceGroupId');
  const inGroup = found.some((each) => each.kind === 'device' && each.deviceGroupId === deviceGroupId);
  if (deviceId !== undefined && !inGroup) throw invalid('deviceId', 'is not a device of the device group');
}

/**
 * The device of a resource of the organisation: the device itself, or that of a video stream; one read.
 * @param path the field of the request that names the resource
 * @throws Refusal `resource_not_found`, or `forbidden` when it is another organisation's
 */
export async function findSharedDevice(
  caller: Organisation,
  resourceId: string,
  path: 'resourceId' | 'deviceId' = 'resourceId',
): Promise<string> {
  const key = fleetItemKey('device', resourceId) ?? fleetItemKey('stream', resourceId);
  const { Item } = key
    ? await dynamodb.send(new GetCommand({ TableName: table('fleet'), Key: key, ConsistentRead: true }))
    : {};
  const found = partFromItem(Item);
  if (!key || !found) throw new Refusal('resource_not_found');
  if ((organisationOf('device', resourceId) ?? organisationOf('stream', resourceId)) !== caller) throw foreign(path);
  if (found.kind === 'group') throw new Refusal('resource_not_found');
  return found.deviceId;
}

/**
 * The Kinesis video stream of a shared resource: the shared stream, or the first one of a shared device.
 * @returns undefined when it does not exist; another stream of the device was not shared
 */
export async function findVideoStream(organisation: Organisation, resourceId: string, deviceId: string) {
  const streams = await listStreams(organisation);
  const isShared = (stream: (typeof streams)[number]) =>
    resourceId === deviceId ? stream.deviceId === deviceId : stream.streamId === resourceId;
  return streams.find(isShared)?.videoStream;
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

/** @throws Refusal `resource_not_found` when it is not a device id, `forbidden` when it is another organisation's */
export function expectOwnDevice(caller: Organisation, deviceId: string): void {
  const organisation = organisationOf('device', deviceId);
  if (organisation === undefined) throw new Refusal('resource_not_found');
  if (organisation !== caller) throw foreign('deviceId');
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
 * Checks that the device or the group of a telemetry subscription belongs to the organisation.
 * @throws Refusal `resource_not_found` or `device_group_not_found`, `forbidden` when it is another organisation's
 */
export async function expectSubscribable(
  caller: Organisation,
  deviceId: string | undefined,
  deviceGroupId: string | undefined,
): Promise<void> {
  if (deviceId === undefined) return expectDeviceGroup(caller, deviceGroupId ?? '');
  // `findSharedDevice` accepts a stream too, but only devices have telemetry.
  if ((await findSharedDevice(caller, deviceId, 'deviceId')) !== deviceId) throw new Refusal('resource_not_found');
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
