/** A device in operation: what is read and written as it reports. When a state is written is a rule of `domain/fleet/state-saving.ts`. */
import type { Device } from '../../domain/fleet/fleet';
import { takeOffAfter, type FlightChange } from '../../domain/telemetry/flight';
import type { Organisation } from '../../domain/values/id';
import { MAX_TRANSITIONS, type Saving } from '../../domain/fleet/state-saving';
import type { DeviceState } from '../../domain/telemetry/telemetry';
import { isRepeat, itemThatRefused, succeeded } from '../store/conditional-write';
import { UpdateCommand, type UpdateCommandInput } from '@aws-sdk/lib-dynamodb';
import { dynamodb, table } from '../store/dynamodb';
import { deviceFromItem, readBatch } from './fleet';
import { fleetKey } from './fleet-key';
import { standingUpdate } from './standing-devices';

/** Those of the devices that the organisation has, strongly consistent; one read for up to 100. @throws Error when DynamoDB left out a key */
export async function readDevices(organisation: Organisation, deviceIds: readonly string[]): Promise<Device[]> {
  const read = await readBatch(deviceIds.map((id) => fleetKey(organisation, id)));
  return read.map((found) => deviceFromItem(found)).filter((found) => found !== undefined);
}

/** The part of an update that stores a take-off, or that a flight has ended; nothing while the flight goes on. */
function flightUpdate({ before, after }: FlightChange) {
  if (before === after) return { set: '', remove: '', values: {} };
  return after
    ? { set: ', takeOff = :takeOff', remove: '', values: { ':takeOff': after } }
    : { set: '', remove: ', takeOff', values: {} };
}

/** What a write of a device's state relied on, and whether that still held. */
export interface SavedState {
  readonly isSaved: boolean;
  /** As it was before the write; or as it is, when it is another one than the decision relied on; undefined when it was removed. */
  readonly device: Device | undefined;
}

/** How a state is written. */
export interface StateWrite extends Extract<Saving, { kind: 'write' }> {
  readonly now: Date;
  /** Whether nobody needs the record of this write in the stream (`lib/channels/fan-out.ts` filters them). */
  readonly isQuiet: boolean;
}

/**
 * Stores the state that a device of the fleet reported, by one write, if the device is still the one that the decision relied on: online
 * or not, of the same group and in the same flight, without a later state, and not written since. The device is online then.
 * @param known the device as it was read or written, even a while ago
 */
export async function saveState(
  organisation: Organisation,
  known: Device,
  state: DeviceState,
  { now, isQuiet, reason, latestSave, savedAt, takeOff }: StateWrite,
): Promise<SavedState> {
  const { deviceId, deviceGroupId, status } = known;
  const isDue = reason === 'due' && status === 'online' && known.savedAt !== undefined;
  const flight = flightUpdate({ before: known.takeOff, after: takeOff });
  const standing = standingUpdate(organisation, state);
  const removed = [...(isQuiet ? [] : ['quiet']), ...(flight.remove ? ['takeOff'] : []), ...standing.remove];
  const conditions = [
    '(attribute_not_exists(stateAt) OR stateAt < :stateAt)',
    '#status = :status',
    'deviceGroupId = :group',
    known.takeOff ? 'takeOff = :knownTakeOff' : 'attribute_not_exists(takeOff)',
    ...(isDue ? ['savedAt <= :latestSave'] : []),
    ...(reason === 'transition' ? ['(attribute_not_exists(transitions) OR transitions < :most)'] : []),
  ];
  const write: UpdateCommandInput = {
    TableName: table('fleet'),
    Key: fleetKey(organisation, deviceId),
    UpdateExpression:
      'SET lastState = :state, stateAt = :stateAt, reportedAt = :now, savedAt = :savedAt' +
      `, transitions = ${reason === 'due' ? ':none' : 'if_not_exists(transitions, :none) + :one'}` +
      `${status === 'online' ? '' : ', #status = :online, presentIn = :organisation'}${flight.set}${standing.set}` +
      `${isQuiet ? ', quiet = :quiet' : ''}${removed.length > 0 ? ` REMOVE ${removed.join(', ')}` : ''} ADD version :one`,
    ConditionExpression: conditions.join(' AND '),
    ExpressionAttributeNames: { '#status': 'status' },
    ExpressionAttributeValues: {
      ':state': JSON.stringify(state),
      ':stateAt': state.timestamp,
      ':now': now.toISOString(),
      ':savedAt': savedAt,
      ':status': status,
      ':group': deviceGroupId,
      ':none': 0,
      ':one': 1,
      ...(status !== 'online' && { ':online': 'online', ':organisation': organisation }),
      ...(isDue && { ':latestSave': latestSave }),
      ...(reason === 'transition' && { ':most': MAX_TRANSITIONS }),
      ...(known.takeOff && { ':knownTakeOff': known.takeOff }),
      ...(isQuiet && { ':quiet': 'yes' }),
      ...flight.values,
      ...standing.values,
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
  const standing = standingUpdate(organisation, state);
  return succeeded(
    dynamodb.send(
      new UpdateCommand({
        TableName: table('fleet'),
        Key: fleetKey(organisation, deviceId),
        UpdateExpression:
          'SET lastState = :state, stateAt = :stateAt, savedAt = :now, reportedAt = :reportedAt, transitions = :none' +
          `${flight.set}${standing.set} REMOVE ${['quiet', ...standing.remove].join(', ')}${flight.remove} ADD version :one`,
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
          ...standing.values,
        },
      }),
    ),
  );
}

/**
 * Records a report without a newer state; the device is online then.
 * @param device as it was read
 * @returns false when it has reported since, was removed, or is no longer online or offline as it was
 */
export function recordReport(organisation: Organisation, device: Device, now: Date): Promise<boolean> {
  const isOnline = device.status === 'online';
  return succeeded(
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
