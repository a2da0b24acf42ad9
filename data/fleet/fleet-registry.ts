import { deviceStream, type Device, type DeviceGroup, type DeviceStream } from '../../domain/fleet/device';
import { fleetAttributesOf } from '../../domain/fleet/restored-attributes';
import { idField, organisationOf, type Kind, type Organisation } from '../../domain/values/id';
import { foreign } from '../../domain/values/refusal';
import { DeleteCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { update } from '../store/expression';
import { itemThatRefused, succeeded } from '../store/conditional-write';
import { dynamodb, table } from '../store/dynamodb';
import { queryToEnd } from '../store/query';
import { fleetKey, registryPartition } from './fleet-key';

/** The registered fields of a device; the others come from telemetry. */
export type RegisteredDevice = Pick<Device, 'deviceId' | 'deviceGroupId' | 'name' | 'capabilities'>;

/**
 * How long a tombstone is retained, in seconds: longer than the bus archives the earlier events that a replay could repeat
 * (`lib/platform/platform-bus.ts`).
 */
const TOMBSTONE_TTL_S = 15 * 24 * 60 * 60;

/**
 * Registers or updates a device group of the organisation; idempotent.
 * @param at time of the event
 * @returns false when a later event has been applied
 * @throws Refusal `forbidden` when the id is not one of the organisation's groups
 */
export const registerGroup = async (organisation: Organisation, group: DeviceGroup, at: Date): Promise<boolean> =>
  (await register('group', organisation, group.deviceGroupId, group, at)) !== undefined;

/**
 * Registers or updates a device of the organisation; idempotent. A new device is offline, an existing one keeps its status.
 * @param at time of the event
 * @returns `late` when a later event has been applied; `moved` when it is in another group now, also when the event is repeated
 * @throws Refusal `forbidden` when the id, or that of its group, is not the organisation's
 */
export async function registerDevice(
  organisation: Organisation,
  device: RegisteredDevice,
  at: Date,
): Promise<'late' | 'kept' | 'moved'> {
  expectOwn('group', organisation, device.deviceGroupId);
  const { deviceId, deviceGroupId, name } = device;
  // Followers hear of a change by the next version; a repetition has none.
  const changed = await register('device', organisation, deviceId, device, at, { unlike: { deviceGroupId, name } });
  if (changed) return changed['deviceGroupId'] === deviceGroupId ? 'kept' : 'moved';
  const same = await register('device', organisation, deviceId, device, at, { first: { status: 'offline' } });
  if (!same) return 'late';
  // Whoever applied it first may have ended before what follows from a move.
  return same['eventTime'] === at.toISOString() ? 'moved' : 'kept';
}

/**
 * Registers or updates a video stream of a device of the organisation; idempotent.
 * @param at time of the event
 * @returns false when a later event has been applied
 * @throws Refusal `forbidden` when the id, or that of its device, is not the organisation's
 */
export async function registerStream(organisation: Organisation, stream: DeviceStream, at: Date): Promise<boolean> {
  expectOwn('device', organisation, stream.deviceId);
  return (await register('stream', organisation, stream.streamId, stream, at)) !== undefined;
}

/** What a tombstone has no more. */
const removedAttributes = fleetAttributesOf('registered', 'reported');

/**
 * Removes a group (without its devices) or a device of the organisation and leaves a tombstone with the time, also when the
 * item does not exist. The version rises by two: the next one is that of the deletion's message, and a device that is
 * registered again must start above it, or followers would drop its messages as stale.
 * @param at time of the event
 * @returns false when a later event has been applied
 * @throws Refusal `forbidden` when the id is not the organisation's
 */
export async function removeFromFleet(
  organisation: Organisation,
  kind: 'group' | 'device',
  id: string,
  at: Date,
): Promise<boolean> {
  expectOwn(kind, organisation, id);
  const eventTime = at.toISOString();
  const ttl = Date.parse(eventTime) / 1000 + TOMBSTONE_TTL_S;
  return succeeded(
    dynamodb.send(
      new UpdateCommand({
        TableName: table('fleet'),
        Key: fleetKey(organisation, id),
        ...update({
          set: { kind: 'removed', eventTime, ttl },
          remove: removedAttributes,
          add: { version: 2 },
          ...noLaterEvent(eventTime),
        }),
      }),
    ),
  );
}

/**
 * Deletes an item that was registered by mistake, without a tombstone.
 * @throws Refusal `forbidden` when the id is not the organisation's
 */
export async function deleteRegistration(organisation: Organisation, kind: FleetKind, id: string): Promise<void> {
  expectOwn(kind, organisation, id);
  await dynamodb.send(new DeleteCommand({ TableName: table('fleet'), Key: fleetKey(organisation, id) }));
}

/** All video streams of the organisation's devices. */
export async function listStreams(organisation: Organisation): Promise<DeviceStream[]> {
  const found = await queryToEnd({
    TableName: table('fleet'),
    ConsistentRead: true,
    KeyConditionExpression: 'fleetPartition = :partition AND begins_with(id, :stream)',
    ExpressionAttributeValues: {
      ':partition': registryPartition(organisation),
      ':stream': `stream-${organisation}-`,
    },
  });
  return found.map((each) => deviceStream.parse(each));
}

type FleetKind = Extract<Kind, 'group' | 'device' | 'stream'>;

function expectOwn(kind: FleetKind, organisation: Organisation, id: string): void {
  if (organisationOf(kind, id) !== organisation) throw foreign(idField(kind));
}

/**
 * The condition that no later event has been applied than the one whose `eventTime` is written. Of two events of the
 * same time the one that arrives last wins. A time that still lies ahead, of a clock that was, gives way to one that
 * doesn't: that clock is right again, or another one is. But a registration that comes twice, before and after a
 * removal, must not undo it.
 */
function noLaterEvent(eventTime: string) {
  const now = new Date().toISOString();
  const isAhead = eventTime > now;
  return {
    condition: `attribute_not_exists(eventTime) OR eventTime <= :eventTime${isAhead ? '' : ' OR (eventTime > :now AND kind <> :tombstone)'}`,
    values: isAhead ? {} : { now, tombstone: 'removed' },
  };
}

interface Registration {
  /** Attributes that only a new item gets. */
  readonly first?: Readonly<Record<string, string>>;
  /** Only an item that exists, and differs in one of these; its version grows. */
  readonly unlike?: Readonly<Record<string, string>>;
}

/** Writes an item. @returns what it was before, empty for a new one; undefined when the condition failed */
async function register(
  kind: FleetKind,
  organisation: Organisation,
  id: string,
  known: DeviceGroup | RegisteredDevice | DeviceStream,
  at: Date,
  { first = {}, unlike = {} }: Registration = {},
): Promise<Readonly<Record<string, unknown>> | undefined> {
  expectOwn(kind, organisation, id);
  const differs = Object.keys(unlike).map((name) => `#${name} <> :${name}`);
  const isChange = differs.length > 0;
  // As JSON text: DynamoDB takes no number as near to 0 as a coordinate may be.
  const capabilities = 'capabilities' in known ? JSON.stringify(known.capabilities) : undefined;
  const eventTime = at.toISOString();
  const { condition, values } = noLaterEvent(eventTime);
  try {
    const { Attributes } = await dynamodb.send(
      new UpdateCommand({
        TableName: table('fleet'),
        Key: fleetKey(organisation, id),
        ...update({
          set: { ...known, capabilities, kind, eventTime },
          setOnce: first,
          // An item that is registered again must not expire with the TTL of its tombstone.
          remove: ['ttl', 'quiet'],
          add: { version: isChange ? 1 : undefined },
          condition: isChange
            ? `attribute_exists(deviceId) AND (${differs.join(' OR ')}) AND (${condition})`
            : condition,
          values,
        }),
        ReturnValues: 'ALL_OLD',
      }),
    );
    return Attributes ?? {};
  } catch (error) {
    itemThatRefused(error);
    return undefined;
  }
}
