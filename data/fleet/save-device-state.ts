/**
 * A device in operation: what is read and written as it reports. When a state is written is a rule of
 * `domain/fleet/state-saving.ts`.
 */
import type { Device } from '../../domain/fleet/device';
import { flightAfter, type FlightPhase } from '../../domain/telemetry/flight';
import { mergeState, type KnownState } from '../../domain/telemetry/known-state';
import type { Organisation } from '../../domain/values/id';
import type { Saving } from '../../domain/fleet/state-saving';
import { isRepeat, itemThatRefused, succeeded } from '../store/conditional-write';
import { UpdateCommand, type UpdateCommandInput } from '@aws-sdk/lib-dynamodb';
import { dynamodb, table } from '../store/dynamodb';
import { update } from '../store/expression';
import { deviceFromItem } from './devices';
import { readBatch } from './registered-parts';
import { fleetKey } from './fleet-key';
import { standingOf } from './standing-devices';
import { stateText } from './state-text';

/**
 * Those of the devices that the organisation has, strongly consistent; one read for up to 100.
 * @throws Error when DynamoDB left out a key
 */
export async function readDevices(organisation: Organisation, deviceIds: readonly string[]): Promise<Device[]> {
  const read = await readBatch(deviceIds.map((id) => fleetKey(organisation, id)));
  return read.map((found) => deviceFromItem(found)).filter((found) => found !== undefined);
}

/**
 * The attributes of a state: what is known, where the device stands, in which flight it is, and whether nobody needs the
 * record of the write; undefined: it has none. A flight that goes on is not written.
 */
function attributesOf(
  organisation: Organisation,
  known: Device,
  state: KnownState,
  flight: FlightPhase,
  isQuiet: boolean,
) {
  const { takeOff, standsSince } = flight;
  return {
    state: stateText(state),
    // The form of earlier releases.
    lastState: undefined,
    ...standingOf(organisation, { lastState: state, standsSince }),
    ...(known.takeOff !== takeOff && { takeOff }),
    ...(known.standsSince !== standsSince && { standsSince }),
    quiet: isQuiet ? 'yes' : undefined,
  };
}

const undefinedIn = (fields: Readonly<Record<string, unknown>>) =>
  Object.keys(fields).filter((name) => fields[name] === undefined);

/** That a device of the fleet was not written since it was read: a device has no version before its first change. */
const isUnchanged = (version: number): string =>
  version > 0
    ? 'version = :known'
    : 'attribute_exists(deviceId) AND (attribute_not_exists(version) OR version = :known)';

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
 * Stores what is known of a device of the fleet, by one write, if the device is still the one that it was merged into: no
 * part is lost by writers beside each other. The device is online then.
 * @param known the device as it was read or written, even a while ago
 */
export async function saveState(
  organisation: Organisation,
  known: Device,
  { now, isQuiet, reason, savedAt, state, flight }: StateWrite,
): Promise<SavedState> {
  const { deviceId, status, version } = known;
  const attributes = attributesOf(organisation, known, state, flight, isQuiet);
  const write: UpdateCommandInput = {
    TableName: table('fleet'),
    Key: fleetKey(organisation, deviceId),
    ...update({
      set: {
        reportedAt: now.toISOString(),
        savedAt,
        ...(reason === 'due' && { transitions: 0 }),
        ...(status !== 'online' && { status: 'online', presentIn: organisation }),
        ...attributes,
      },
      remove: undefinedIn(attributes),
      add: { version: 1, ...(reason !== 'due' && { transitions: 1 }) },
      condition: isUnchanged(version),
      values: { known: version },
    }),
    ReturnValues: 'ALL_OLD',
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
  };
  try {
    const { Attributes } = await dynamodb.send(new UpdateCommand(write));
    return { isSaved: true, device: deviceFromItem(Attributes) };
  } catch (error) {
    const { found: item } = itemThatRefused(error);
    const found = deviceFromItem(item);
    // The response to the first attempt was lost, and it had saved this very state.
    const isSaved = isRepeat(error) && found?.version === version + 1 && item?.['state'] === attributes.state;
    return { isSaved, device: isSaved ? { ...found, version, lastState: known.lastState } : found };
  }
}

/**
 * Stores a state that arrived too early, merged into the stored one, if the device has not been written since it was read.
 * Does not change whether the device is online.
 * @param device as it was read
 * @param at when the state arrived
 * @returns whether it was written
 */
export function saveTrailing(
  organisation: Organisation,
  device: Device,
  state: KnownState,
  at: string,
  now: Date,
): Promise<boolean> {
  const { deviceId, version, reportedAt = at } = device;
  const merged = mergeState(device.lastState, state);
  const flight = merged.taken ? flightAfter(device, merged.taken) : device;
  const attributes = attributesOf(organisation, device, merged.state, flight, false);
  return succeeded(
    dynamodb.send(
      new UpdateCommand({
        TableName: table('fleet'),
        Key: fleetKey(organisation, deviceId),
        ...update({
          set: {
            savedAt: now.toISOString(),
            reportedAt: reportedAt > at ? reportedAt : at,
            transitions: 0,
            ...attributes,
          },
          remove: undefinedIn(attributes),
          add: { version: 1 },
          condition: `${isUnchanged(version)} AND reportedAt = :before`,
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
