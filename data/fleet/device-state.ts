/** A device in operation: what is read and written as it reports. When a state is written is a rule of `domain/state-saving.ts`. */
import type { Device } from '../../domain/fleet';
import { takeOffAfter, type FlightChange } from '../../domain/flight';
import type { Organisation } from '../../domain/id';
import { latestTurn, MAX_TRANSITIONS, turnAfter, type WriteReason } from '../../domain/state-saving';
import type { DeviceState } from '../../domain/telemetry';
import { isRepeat, itemThatRefused, succeeded } from '../store/conditional-write';
import { BatchGetCommand, UpdateCommand, type UpdateCommandInput } from '@aws-sdk/lib-dynamodb';
import { dynamodb, table } from '../store/dynamodb';
import { deviceFromItem } from './fleet';
import { fleetKey } from './fleet-key';

/** Those of the devices that the organisation has, strongly consistent; one read for up to 100. @throws Error when DynamoDB left out a key */
export async function readDevices(organisation: Organisation, deviceIds: readonly string[]): Promise<Device[]> {
  const Keys = deviceIds.map((id) => fleetKey(organisation, id));
  const { Responses, UnprocessedKeys } = await dynamodb.send(
    new BatchGetCommand({ RequestItems: { [table('fleet')]: { Keys, ConsistentRead: true } } }),
  );
  if (UnprocessedKeys?.[table('fleet')]) throw new Error('the batch read of the fleet table left out keys');
  return (Responses?.[table('fleet')] ?? [])
    .map((found) => deviceFromItem(found))
    .filter((found) => found !== undefined);
}

const writesByReason: Readonly<
  Record<WriteReason, { condition: string; transitions: string; values: Record<string, unknown> }>
> = {
  due: {
    condition: 'attribute_not_exists(savedAt) OR savedAt <= :before OR #status <> :online',
    transitions: ':none',
    values: {},
  },
  transition: {
    condition: 'attribute_not_exists(transitions) OR transitions < :most',
    transitions: 'if_not_exists(transitions, :none) + :one',
    values: { ':most': MAX_TRANSITIONS },
  },
};

/** The part of an update that stores a take-off, or that a flight has ended; nothing while the flight goes on. */
function flightUpdate({ before, after }: FlightChange) {
  if (before === after) return { set: '', remove: '', values: {} };
  return after
    ? { set: ', takeOff = :takeOff', remove: '', values: { ':takeOff': after } }
    : { set: '', remove: ', takeOff', values: {} };
}

/** Result of a write: `saved`; `superseded`: a later state is stored, or the device was removed; or `too early`. */
export type SaveResult =
  { readonly outcome: 'saved'; readonly wasOnline: boolean } | { readonly outcome: 'superseded' | 'too early' };

/** How a state is written. */
export interface StateWrite {
  readonly now: Date;
  readonly reason: WriteReason;
  /** See {@link turnAfter}. Default: now. */
  readonly savedAt?: string;
  /** Of the device's flight with this state. */
  readonly change?: FlightChange;
}

/**
 * Stores the state that a device of the fleet reported, if it is later than the stored one and the reason still applies. The
 * device is online then.
 */
export async function saveState(
  organisation: Organisation,
  deviceId: string,
  state: DeviceState,
  { now, reason, savedAt = now.toISOString(), change = {} }: StateWrite,
): Promise<SaveResult> {
  const { condition, transitions, values } = writesByReason[reason];
  const flight = flightUpdate(change);
  const write: UpdateCommandInput = {
    TableName: table('fleet'),
    Key: fleetKey(organisation, deviceId),
    UpdateExpression:
      'SET lastState = :state, stateAt = :stateAt, reportedAt = :now, savedAt = :savedAt, #status = :online,' +
      ` presentIn = :organisation, transitions = ${transitions}${flight.set} REMOVE quiet${flight.remove} ADD version :one`,
    ConditionExpression: `attribute_exists(deviceId) AND (attribute_not_exists(stateAt) OR stateAt < :stateAt) AND (${condition})`,
    ExpressionAttributeNames: { '#status': 'status' },
    ExpressionAttributeValues: {
      ':state': JSON.stringify(state),
      ':stateAt': state.timestamp,
      ':now': now.toISOString(),
      ':savedAt': savedAt,
      ':online': 'online',
      ':organisation': organisation,
      ':one': 1,
      ':none': 0,
      ...(reason === 'due' && { ':before': latestTurn(now) }),
      ...values,
      ...flight.values,
    },
    ReturnValues: 'UPDATED_OLD',
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
  };
  try {
    const { Attributes } = await dynamodb.send(new UpdateCommand(write));
    return { outcome: 'saved', wasOnline: Attributes?.['status'] === 'online' };
  } catch (error) {
    const { found } = itemThatRefused(error);
    const isRemoved = found?.['deviceId'] === undefined;
    const isTooEarly = !isRemoved && ((found['stateAt'] as string | undefined) ?? '') < state.timestamp;
    return { outcome: isTooEarly ? 'too early' : 'superseded' };
  }
}

/** A device before the state was saved; or as it is, when the state could not be saved, undefined when it was removed. */
export interface NextState {
  readonly isSaved: boolean;
  readonly device: Device | undefined;
}

/** How the next state is written. */
export interface NextWrite {
  readonly now: Date;
  /** Whether nobody needs the record of this write in the stream (`lib/realtime/fan-out.ts` filters them). */
  readonly isQuiet: boolean;
}

/**
 * Stores a state of a device that was read or written a while ago, without reading it again, if the device is still online, of the same
 * group and in the same flight, the state is later than the stored one, and a write is due.
 * @param known the device as it was then
 */
export async function saveNextState(
  organisation: Organisation,
  known: Device,
  state: DeviceState,
  { now, isQuiet }: NextWrite,
): Promise<NextState> {
  const { deviceId, deviceGroupId, takeOff } = known;
  const write: UpdateCommandInput = {
    TableName: table('fleet'),
    Key: fleetKey(organisation, deviceId),
    UpdateExpression:
      'SET lastState = :state, stateAt = :stateAt, reportedAt = :now, savedAt = :savedAt, transitions = :none' +
      `${isQuiet ? ', quiet = :quiet' : ' REMOVE quiet'} ADD version :one`,
    ConditionExpression:
      'stateAt < :stateAt AND savedAt <= :before AND #status = :online AND deviceGroupId = :group' +
      ` AND ${takeOff ? 'takeOff = :takeOff' : 'attribute_not_exists(takeOff)'}`,
    ExpressionAttributeNames: { '#status': 'status' },
    ExpressionAttributeValues: {
      ':state': JSON.stringify(state),
      ':stateAt': state.timestamp,
      ':now': now.toISOString(),
      ':savedAt': turnAfter(known, now),
      ':before': latestTurn(now),
      ':online': 'online',
      ':group': deviceGroupId,
      ':none': 0,
      ':one': 1,
      ...(takeOff && { ':takeOff': takeOff }),
      ...(isQuiet && { ':quiet': 'yes' }),
    },
    ReturnValues: 'ALL_OLD',
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
  };
  try {
    const { Attributes } = await dynamodb.send(new UpdateCommand(write));
    return { isSaved: true, device: deviceFromItem(Attributes) };
  } catch (error) {
    const found = deviceFromItem(itemThatRefused(error).found);
    // The response to the first attempt was lost, and it had saved the state.
    const isSaved = isRepeat(error) && found?.lastState?.timestamp === state.timestamp;
    return { isSaved, device: isSaved ? { ...found, lastState: known.lastState } : found };
  }
}

/**
 * Stores a state that arrived too early, if it is later than the stored one and the device has not been written since it was
 * read. Does not change whether the device is online.
 * @param device as it was read
 * @param at when the state arrived
 * @returns whether it was written
 */
export function saveTrailing(
  organisation: Organisation,
  device: Device,
  state: DeviceState,
  at: string,
  now: Date,
): Promise<boolean> {
  const { deviceId, version, reportedAt = at } = device;
  const flight = flightUpdate({ before: device.takeOff, after: takeOffAfter(device, [state]) });
  return succeeded(
    dynamodb.send(
      new UpdateCommand({
        TableName: table('fleet'),
        Key: fleetKey(organisation, deviceId),
        UpdateExpression:
          'SET lastState = :state, stateAt = :stateAt, savedAt = :now, reportedAt = :reportedAt, transitions = :none' +
          `${flight.set} REMOVE quiet${flight.remove} ADD version :one`,
        ConditionExpression: 'stateAt < :stateAt AND version = :version AND reportedAt = :before',
        ExpressionAttributeValues: {
          ':state': JSON.stringify(state),
          ':stateAt': state.timestamp,
          ':now': now.toISOString(),
          ':reportedAt': reportedAt > at ? reportedAt : at,
          ':before': reportedAt,
          ':version': version,
          ':none': 0,
          ':one': 1,
          ...flight.values,
        },
      }),
    ),
  );
}

/**
 * Records a report without a newer state; the device is online then.
 * @param device as it was read
 */
export async function recordReport(organisation: Organisation, device: Device, now: Date): Promise<void> {
  const isOnline = device.status === 'online';
  await succeeded(
    dynamodb.send(
      new UpdateCommand({
        TableName: table('fleet'),
        Key: fleetKey(organisation, device.deviceId),
        UpdateExpression: isOnline
          ? 'SET reportedAt = :now REMOVE quiet'
          : 'SET reportedAt = :now, #status = :online, presentIn = :organisation REMOVE quiet ADD version :one',
        ConditionExpression: isOnline
          ? '#status = :online AND reportedAt < :now'
          : 'attribute_exists(deviceId) AND #status <> :online',
        ExpressionAttributeNames: { '#status': 'status' },
        ExpressionAttributeValues: {
          ':now': now.toISOString(),
          ':online': 'online',
          ...(!isOnline && { ':organisation': organisation, ':one': 1 }),
        },
      }),
    ),
  );
}

/**
 * Marks a device as offline if its last report is still the one of `reportedAt`.
 * @returns false when it has reported since, or is offline or removed already
 */
export function markOffline(organisation: Organisation, deviceId: string, reportedAt: string): Promise<boolean> {
  return succeeded(
    dynamodb.send(
      new UpdateCommand({
        TableName: table('fleet'),
        Key: fleetKey(organisation, deviceId),
        UpdateExpression: 'SET #status = :offline REMOVE presentIn, quiet ADD version :one',
        ConditionExpression: 'reportedAt = :reportedAt AND #status = :online',
        ExpressionAttributeNames: { '#status': 'status' },
        ExpressionAttributeValues: { ':offline': 'offline', ':online': 'online', ':reportedAt': reportedAt, ':one': 1 },
      }),
    ),
  );
}
