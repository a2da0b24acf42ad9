/**
 * A device in operation: what is read and written as it reports. When a state is written is a rule of
 * `domain/fleet/state-saving.ts`.
 */
import type { Device } from '../../domain/fleet/device';
import { takeOffAfter, type FlightChange } from '../../domain/telemetry/flight';
import type { Organisation } from '../../domain/values/id';
import { MAX_TRANSITIONS, type Saving } from '../../domain/fleet/state-saving';
import type { DeviceState } from '../../domain/telemetry/sample';
import { isRepeat, itemThatRefused, succeeded } from '../store/conditional-write';
import { UpdateCommand, type UpdateCommandInput } from '@aws-sdk/lib-dynamodb';
import { dynamodb, table } from '../store/dynamodb';
import { update } from '../store/expression';
import { deviceFromItem, readBatch } from './devices';
import { fleetKey } from './fleet-key';
import { standingOf } from './standing-devices';

/**
 * Those of the devices that the organisation has, strongly consistent; one read for up to 100.
 * @throws Error when DynamoDB left out a key
 */
export async function readDevices(organisation: Organisation, deviceIds: readonly string[]): Promise<Device[]> {
  const read = await readBatch(deviceIds.map((id) => fleetKey(organisation, id)));
  return read.map((found) => deviceFromItem(found)).filter((found) => found !== undefined);
}

/**
 * The attributes that say where a device is, in which flight, and whether nobody needs the record of the write;
 * undefined: it has none. A flight that goes on is not written.
 */
const placeOf = (
  organisation: Organisation,
  state: DeviceState,
  { before, after }: FlightChange,
  isQuiet: boolean,
) => ({
  ...standingOf(organisation, state),
  ...(before !== after && { takeOff: after }),
  quiet: isQuiet ? 'yes' : undefined,
});

const undefinedIn = (fields: Readonly<Record<string, unknown>>) =>
  Object.keys(fields).filter((name) => fields[name] === undefined);

/** What a write of a device's state relied on, and whether that still held. */
export interface SavedState {
  readonly isSaved: boolean;
  /**
   * As it was before the write; or as it is, when it is another one than the decision relied on; undefined when it was
   * removed.
   */
  readonly device: Device | undefined;
}

/** How a state is written. */
export interface StateWrite extends Extract<Saving, { kind: 'write' }> {
  readonly now: Date;
  /** Whether nobody needs the record of this write in the stream (`lib/channels/fan-out.ts` filters them). */
  readonly isQuiet: boolean;
}

/**
 * Stores the state that a device of the fleet reported, by one write, if the device is still the one that the decision
 * relied on: online or not, of the same group and in the same flight, without a later state, and not written since. The
 * device is online then.
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
  const place = placeOf(organisation, state, { before: known.takeOff, after: takeOff }, isQuiet);
  const conditions = [
    '(attribute_not_exists(stateAt) OR stateAt < :stateAt)',
    '#status = :known',
    'deviceGroupId = :group',
    known.takeOff ? 'takeOff = :knownTakeOff' : 'attribute_not_exists(takeOff)',
    ...(isDue ? ['savedAt <= :latestSave'] : []),
    ...(reason === 'transition' ? ['(attribute_not_exists(transitions) OR transitions < :most)'] : []),
  ];
  const write: UpdateCommandInput = {
    TableName: table('fleet'),
    Key: fleetKey(organisation, deviceId),
    ...update({
      set: {
        lastState: JSON.stringify(state),
        stateAt: state.timestamp,
        reportedAt: now.toISOString(),
        savedAt,
        ...(reason === 'due' && { transitions: 0 }),
        ...(status !== 'online' && { status: 'online', presentIn: organisation }),
        ...place,
      },
      remove: undefinedIn(place),
      add: { version: 1, ...(reason !== 'due' && { transitions: 1 }) },
      condition: conditions.join(' AND '),
      values: {
        known: status,
        group: deviceGroupId,
        latestSave: isDue ? latestSave : undefined,
        most: reason === 'transition' ? MAX_TRANSITIONS : undefined,
        knownTakeOff: known.takeOff,
      },
    }),
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
  const flight = { before: device.takeOff, after: takeOffAfter(device, [state]) };
  const place = placeOf(organisation, state, flight, false);
  return succeeded(
    dynamodb.send(
      new UpdateCommand({
        TableName: table('fleet'),
        Key: fleetKey(organisation, deviceId),
        ...update({
          set: {
            lastState: JSON.stringify(state),
            stateAt: state.timestamp,
            savedAt: now.toISOString(),
            reportedAt: reportedAt > at ? reportedAt : at,
            transitions: 0,
            ...place,
          },
          remove: undefinedIn(place),
          add: { version: 1 },
          condition: 'stateAt < :stateAt AND version = :known AND reportedAt = :before',
          values: { known: version, before: reportedAt },
        }),
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
        ...update({
          set: { reportedAt: now.toISOString(), ...(!isOnline && { status: 'online', presentIn: organisation }) },
          remove: ['quiet'],
          add: { version: isOnline ? undefined : 1 },
          condition: isOnline
            ? '#status = :online AND reportedAt < :reportedAt'
            : 'attribute_exists(deviceId) AND #status <> :online',
          values: { online: 'online' },
        }),
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
        ...update({
          set: { status: 'offline' },
          remove: ['presentIn', 'quiet'],
          add: { version: 1 },
          condition: 'reportedAt = :reportedAt AND #status = :online',
          values: { reportedAt, online: 'online' },
        }),
      }),
    ),
  );
}
