/**
 * Whether what a request names is in the fleet, and the organisation's. Nothing here needs the state of a device, which most of
 * the functions that ask have no use for.
 */
import * as z from 'zod/mini';
import { organisationOf, type Kind, type Organisation } from '../../domain/values/id';
import { Refusal, foreign, invalid } from '../../domain/values/refusal';
import { BatchGetCommand, GetCommand } from '@aws-sdk/lib-dynamodb';
import { dynamodb, table } from '../store/dynamodb';
import { fleetKey } from './fleet-key';
import { listStreams } from './fleet-registry';

const item = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('group') }),
  z.object({ kind: z.literal('device'), deviceId: z.string(), deviceGroupId: z.string() }),
  z.object({ kind: z.literal('stream'), deviceId: z.string() }),
  z.object({ kind: z.literal('removed') }),
]);

/** What an item says of its part; undefined for no item or a tombstone. @throws Error when it can't be parsed */
function partFromItem(found: Record<string, unknown> | undefined) {
  const parsed = found && item.parse(found);
  return parsed?.kind === 'removed' ? undefined : parsed;
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

/** @throws Refusal `resource_not_found` when it is not a device id, `forbidden` when it is another organisation's */
export function expectOwnDevice(caller: Organisation, deviceId: string): void {
  const organisation = organisationOf('device', deviceId);
  if (organisation === undefined) throw new Refusal('resource_not_found');
  if (organisation !== caller) throw foreign('deviceId');
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
