import { deviceStream, type Device, type DeviceGroup, type DeviceStream } from '../../domain/fleet';
import { organisationOf, type Kind, type Organisation } from '../../domain/id';
import { Refusal } from '../../domain/refusal';
import { DeleteCommand, QueryCommand, UpdateCommand, type QueryCommandOutput } from '../store/document-client';
import { set } from '../store/expression';
import { succeeded } from '../store/conditional-write';
import { dynamodb, table } from '../store/dynamodb';

/** What the registry knows of a device; the rest is told by its telemetry. */
export type RegisteredDevice = Pick<Device, 'deviceId' | 'deviceGroupId' | 'name'>;

/**
 * For so long it is remembered, in seconds, when something was removed: longer than the bus keeps what an earlier event
 * said of it (`lib/platform/platform-bus.ts`).
 */
const REMEMBERED_S = 15 * 24 * 60 * 60;

/**
 * Registers a device group of the organisation or changes what is known of it; a repeat changes nothing.
 * @param at when it was so
 * @returns false when something later is known, which stays
 * @throws Refusal `forbidden` when the id is not one of the organisation's groups
 */
export const registerGroup = (organisation: Organisation, group: DeviceGroup, at: Date): Promise<boolean> =>
  register('group', organisation, group.deviceGroupId, group, at);

/**
 * Registers a device of the organisation or changes what is known of it; a new one is offline, another keeps its
 * status. A repeat changes nothing.
 * @param at when it was so
 * @returns false when something later is known, which stays
 * @throws Refusal `forbidden` when the id, or that of its group, is not the organisation's
 */
export async function registerDevice(organisation: Organisation, device: RegisteredDevice, at: Date): Promise<boolean> {
  expectOwn('group', organisation, device.deviceGroupId);
  return register('device', organisation, device.deviceId, device, at, { status: 'offline' });
}

/**
 * Registers a video stream of a device of the organisation or changes what is known of it; a repeat changes nothing.
 * @param at when it was so
 * @returns false when something later is known, which stays
 * @throws Refusal `forbidden` when the id, or that of its device, is not the organisation's
 */
export async function registerStream(organisation: Organisation, stream: DeviceStream, at: Date): Promise<boolean> {
  expectOwn('device', organisation, stream.deviceId);
  return register('stream', organisation, stream.streamId, stream, at);
}

/** All that is known of a group or a device but its version, which goes on when it is back. */
const known = [
  ...['#deviceId', '#deviceGroupId', '#name', '#description', '#status', '#lastState', '#stateAt', '#reportedAt'],
  ...['#keptAt', '#turns', '#presentIn'],
];

/**
 * Removes a group or a device of the organisation, and it alone, and remembers when; one that isn't there is none the
 * worse. Of a device its version goes on: the next one is for the removal itself, the one after it for the device that is
 * back, of which nobody would hear who has been told a later one.
 * @param at when it was so
 * @returns false when something later is known, which stays
 * @throws Refusal `forbidden` when the id is not the organisation's
 */
export async function removeFromFleet(
  organisation: Organisation,
  kind: 'group' | 'device',
  id: string,
  at: Date,
): Promise<boolean> {
  expectOwn(kind, organisation, id);
  const knownAt = toTheSecond(at);
  const ttl = Date.parse(knownAt) / 1000 + REMEMBERED_S;
  return succeeded(
    dynamodb.send(
      new UpdateCommand({
        TableName: table('FLEET'),
        Key: { organisation, id },
        UpdateExpression: `SET kind = :removed, knownAt = :knownAt, #ttl = :ttl REMOVE ${known.join(', ')} ADD version :two`,
        ConditionExpression: NOTHING_LATER,
        ExpressionAttributeNames: Object.fromEntries(['#ttl', ...known].map((name) => [name, name.slice(1)])),
        ExpressionAttributeValues: { ':removed': 'removed', ':knownAt': knownAt, ':ttl': ttl, ':two': 2 },
      }),
    ),
  );
}

/** Forgets what was registered by mistake. @throws Refusal `forbidden` when the id is not the organisation's */
export async function undoRegistration(organisation: Organisation, kind: FleetKind, id: string): Promise<void> {
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

/** Of two events in one second, which EventBridge does not tell apart, the one that comes last counts. */
const toTheSecond = (at: Date) => `${at.toISOString().slice(0, 19)}Z`;

const NOTHING_LATER = 'attribute_not_exists(knownAt) OR knownAt <= :knownAt';

/** @param first what only a new item gets */
async function register(
  kind: FleetKind,
  organisation: Organisation,
  id: string,
  known: DeviceGroup | RegisteredDevice | DeviceStream,
  at: Date,
  first: Readonly<Record<string, string>> = {},
): Promise<boolean> {
  expectOwn(kind, organisation, id);
  const fields = set({ ...known, kind, knownAt: toTheSecond(at) });
  const initial = set(first);
  const initially = Object.keys(first).map((name) => `, #${name} = if_not_exists(#${name}, :${name})`);
  return succeeded(
    dynamodb.send(
      new UpdateCommand({
        TableName: table('FLEET'),
        Key: { organisation, id },
        // What was removed and is back is not to be deleted once its removal is forgotten.
        UpdateExpression: `${fields.UpdateExpression}${initially.join('')} REMOVE #ttl`,
        ConditionExpression: NOTHING_LATER,
        ExpressionAttributeNames: {
          ...fields.ExpressionAttributeNames,
          ...initial.ExpressionAttributeNames,
          '#ttl': 'ttl',
        },
        ExpressionAttributeValues: { ...fields.ExpressionAttributeValues, ...initial.ExpressionAttributeValues },
      }),
    ),
  );
}
