import { DeleteCommand, QueryCommand, UpdateCommand, type QueryCommandOutput } from './documents';
import { deviceStream, type Device, type DeviceGroup, type DeviceStream } from '../domain/fleet';
import { organisationOf, type Kind, type Organisation } from '../domain/id';
import { Refusal } from '../domain/refusal';
import { set } from './expression';
import { dynamodb, table } from './table';

/** What the registry knows of a device; the rest is told by its telemetry. */
export type RegisteredDevice = Pick<Device, 'deviceId' | 'deviceGroupId' | 'name'>;

/**
 * Registers a device group of the organisation or changes what is known of it; a repeat changes nothing.
 * @throws Refusal `forbidden` when the id is not one of the organisation's groups
 */
export const registerGroup = (organisation: Organisation, group: DeviceGroup): Promise<void> =>
  register('group', organisation, group.deviceGroupId, group);

/**
 * Registers a device of the organisation or changes what is known of it; a new one is offline, another keeps its
 * status. A repeat changes nothing.
 * @throws Refusal `forbidden` when the id, or that of its group, is not the organisation's
 */
export async function registerDevice(organisation: Organisation, device: RegisteredDevice): Promise<void> {
  expectOwn('group', organisation, device.deviceGroupId);
  await register('device', organisation, device.deviceId, device, { status: 'offline' });
}

/**
 * Registers a video stream of a device of the organisation or changes what is known of it; a repeat changes nothing.
 * @throws Refusal `forbidden` when the id, or that of its device, is not the organisation's
 */
export async function registerStream(organisation: Organisation, stream: DeviceStream): Promise<void> {
  expectOwn('device', organisation, stream.deviceId);
  await register('stream', organisation, stream.streamId, stream);
}

/**
 * Removes a group, a device or a stream of the organisation, and it alone; one that isn't there is none the worse.
 * @throws Refusal `forbidden` when the id is not the organisation's
 */
export async function removeFromFleet(organisation: Organisation, kind: FleetKind, id: string): Promise<void> {
  expectOwn(kind, organisation, id);
  await dynamodb.send(new DeleteCommand({ TableName: table('FLEET'), Key: { organisation, id } }));
}

/** All video streams of the organisation's devices. */
export async function listStreams(organisation: Organisation): Promise<DeviceStream[]> {
  const found: DeviceStream[] = [];
  let from: QueryCommandOutput['LastEvaluatedKey'];
  do {
    const page: QueryCommandOutput = await dynamodb.send(
      new QueryCommand({
        TableName: table('FLEET'),
        ConsistentRead: true,
        KeyConditionExpression: 'organisation = :organisation AND begins_with(id, :stream)',
        ExpressionAttributeValues: { ':organisation': organisation, ':stream': `stream-${organisation}-` },
        ...(from && { ExclusiveStartKey: from }),
      }),
    );
    found.push(...(page.Items ?? []).map((each) => deviceStream.parse(each)));
    from = page.LastEvaluatedKey;
  } while (from);
  return found;
}

type FleetKind = Extract<Kind, 'group' | 'device' | 'stream'>;

function expectOwn(kind: FleetKind, organisation: Organisation, id: string): void {
  if (organisationOf(kind, id) !== organisation) throw new Refusal('forbidden');
}

/** @param first what only a new item gets */
async function register(
  kind: FleetKind,
  organisation: Organisation,
  id: string,
  known: DeviceGroup | RegisteredDevice | DeviceStream,
  first: Readonly<Record<string, string>> = {},
): Promise<void> {
  expectOwn(kind, organisation, id);
  const fields = set({ ...known, kind });
  const initial = set(first);
  const initially = Object.keys(first).map((name) => `, #${name} = if_not_exists(#${name}, :${name})`);
  await dynamodb.send(
    new UpdateCommand({
      TableName: table('FLEET'),
      Key: { organisation, id },
      UpdateExpression: fields.UpdateExpression + initially.join(''),
      ExpressionAttributeNames: { ...fields.ExpressionAttributeNames, ...initial.ExpressionAttributeNames },
      ExpressionAttributeValues: { ...fields.ExpressionAttributeValues, ...initial.ExpressionAttributeValues },
    }),
  );
}
