import * as z from 'zod/mini';
import {
  device,
  deviceGroup,
  deviceStream,
  groupDevices,
  type Device,
  type GroupWithDevices,
} from '../../domain/fleet';
import { organisationOf, type Kind, type Organisation } from '../../domain/id';
import { Refusal, invalid } from '../../domain/refusal';
import { BatchGetCommand, GetCommand, QueryCommand, type QueryCommandOutput } from '../store/document-client';
import { listStreams } from './fleet-registry';
import { readMetadata } from '../store/metadata-text';
import { readable } from '../store/readable';
import { dynamodb, table } from '../store/dynamodb';

/** The table holds three kinds of item under `organisation` and `id`, and for a while a note of each that was removed. */
const item = z.discriminatedUnion('kind', [
  z.extend(deviceGroup, { kind: z.literal('group') }),
  z.extend(device, {
    kind: z.literal('device'),
    // As text, since what sensors say may be of any shape.
    lastState: z.pipe(z.transform(readMetadata), device.shape.lastState),
  }),
  z.extend(deviceStream, { kind: z.literal('stream') }),
  z.object({ kind: z.literal('removed') }),
]);

/** What an item is of the fleet, or undefined when there is none or it was removed. @throws Error when it is none of ours */
function partFromItem(found: Record<string, unknown> | undefined) {
  const parsed = found && item.parse(found);
  return parsed?.kind === 'removed' ? undefined : parsed;
}

const partsFrom = (found: readonly Record<string, unknown>[] | undefined) =>
  readable(found ?? [], partFromItem).filter((part) => part !== undefined);

/** A device as it was read, or undefined for an item of another kind. @throws Error when the item is none of ours */
export function deviceFromItem(found: Record<string, unknown> | undefined): Device | undefined {
  const part = partFromItem(found);
  return part?.kind === 'device' ? part : undefined;
}

function keyOf(kind: Kind, id: string) {
  const organisation = organisationOf(kind, id);
  return organisation && { organisation, id };
}

/**
 * Makes sure that a device group, and a device of it if one is named, are the organisation's; one read.
 * @throws Refusal `device_group_not_found`, `forbidden` when it is another organisation's,
 *   `invalid_request` when the device is not one of the group
 */
export async function expectDeviceGroup(caller: Organisation, deviceGroupId: string, deviceId?: string): Promise<void> {
  const groupKey = keyOf('group', deviceGroupId);
  if (!groupKey) throw new Refusal('device_group_not_found');
  const deviceKey = deviceId === undefined ? undefined : keyOf('device', deviceId);
  const Keys = [groupKey, ...(deviceKey ? [deviceKey] : [])];
  const { Responses, UnprocessedKeys } = await dynamodb.send(
    new BatchGetCommand({ RequestItems: { [table('FLEET')]: { Keys, ConsistentRead: true } } }),
  );
  // Left out under throttling is not the same as not there.
  if (UnprocessedKeys?.[table('FLEET')]) throw new Error('the fleet table did not answer for every key');
  const found = (Responses?.[table('FLEET')] ?? []).flatMap((each) => partFromItem(each) ?? []);
  if (!found.some((each) => each.kind === 'group')) throw new Refusal('device_group_not_found');
  if (groupKey.organisation !== caller) throw new Refusal('forbidden');
  const inGroup = found.some((each) => each.kind === 'device' && each.deviceGroupId === deviceGroupId);
  if (deviceId !== undefined && !inGroup) throw invalid('deviceId', 'is not a device of the device group');
}

/**
 * The device that a resource of the organisation names: itself, or the one whose stream it is; one read.
 * @throws Refusal `resource_not_found`, or `forbidden` when it is another organisation's
 */
export async function findSharedDevice(caller: Organisation, resourceId: string): Promise<string> {
  const key = keyOf('device', resourceId) ?? keyOf('stream', resourceId);
  const { Item } = key
    ? await dynamodb.send(new GetCommand({ TableName: table('FLEET'), Key: key, ConsistentRead: true }))
    : {};
  const found = partFromItem(Item);
  if (!key || !found) throw new Refusal('resource_not_found');
  if (key.organisation !== caller) throw new Refusal('forbidden');
  if (found.kind === 'group') throw new Refusal('resource_not_found');
  return found.deviceId;
}

/**
 * The video stream that a shared resource names: itself, or the first one of the device.
 * @returns undefined when there is none (any more): another one of the device was not shared
 */
export async function findVideoStream(organisation: Organisation, resourceId: string, deviceId: string) {
  const streams = await listStreams(organisation);
  const isMeant = (stream: (typeof streams)[number]) =>
    resourceId === deviceId ? stream.deviceId === deviceId : stream.streamId === resourceId;
  return streams.find(isMeant)?.videoStream;
}

/** A device with its last known state, or undefined when the fleet has it no more. */
export async function readDevice(organisation: Organisation, deviceId: string): Promise<Device | undefined> {
  const { Item } = await dynamodb.send(
    new GetCommand({ TableName: table('FLEET'), Key: { organisation, id: deviceId } }),
  );
  return deviceFromItem(Item);
}

/** All device groups of the organisation with their devices, in the order of their creation. */
export async function listDeviceGroups(organisation: Organisation): Promise<GroupWithDevices[]> {
  const found: ReturnType<typeof partsFrom> = [];
  let from: QueryCommandOutput['LastEvaluatedKey'];
  do {
    const page: QueryCommandOutput = await dynamodb.send(
      new QueryCommand({
        TableName: table('FLEET'),
        KeyConditionExpression: 'organisation = :organisation',
        ExpressionAttributeValues: { ':organisation': organisation },
        ...(from && { ExclusiveStartKey: from }),
      }),
    );
    found.push(...partsFrom(page.Items));
    from = page.LastEvaluatedKey;
  } while (from);
  return groupDevices(
    found.filter((each) => each.kind === 'group'),
    found.filter((each) => each.kind === 'device'),
  );
}

/** A device group of the organisation with its devices, or undefined. */
export async function listGroup(organisation: Organisation, deviceGroupId: string) {
  const groups = await listDeviceGroups(organisation);
  return groups.find((group) => group.deviceGroupId === deviceGroupId);
}

/**
 * Makes sure that what a subscription names is the organisation's.
 * @throws Refusal `resource_not_found` or `device_group_not_found`, `forbidden` when it is another organisation's
 */
export async function expectFollowed(
  caller: Organisation,
  deviceId: string | undefined,
  deviceGroupId: string | undefined,
): Promise<void> {
  if (deviceId === undefined) return expectDeviceGroup(caller, deviceGroupId ?? '');
  // A stream names its device too, but telemetry is of devices.
  if ((await findSharedDevice(caller, deviceId)) !== deviceId) throw new Refusal('resource_not_found');
}

/** The devices behind the identifier of one of them or of a group of the organisation. */
export async function listBehind(organisation: Organisation, id: string): Promise<Device[]> {
  if (organisationOf('group', id)) return (await listGroup(organisation, id))?.devices ?? [];
  const found = await readDevice(organisation, id);
  return found ? [found] : [];
}
