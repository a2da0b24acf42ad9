import type { Device } from '../../domain/fleet';
import { takeOffAfter, type FlightChange } from '../../domain/flight';
import type { Organisation } from '../../domain/id';
import { isTransition, type DeviceState } from '../../domain/telemetry';
import { BatchGetCommand, UpdateCommand, type UpdateCommandInput } from '../store/document-client';
import { deviceFromItem } from './fleet';
import { fleetKey } from './fleet-key';
import { itemThatRefused, succeeded } from '../store/conditional-write';
import { dynamodb, table } from '../store/dynamodb';

/** Interval at which a device's state is written, except for transitions, in ms (DESIGN section 3: 1 Hz). */
export const SAVE_INTERVAL_MS = 1000;
/** Maximum of transitions that are written within one interval; more would be a malfunctioning device. */
const MAX_TRANSITIONS = 5;

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

/**
 * Why a state is written. `due`: none was written within the last second, or the device was offline; `transition`: it changes
 * the drone state, dock state or job (`isTransition`), and is written at once.
 */
export type WriteReason = 'due' | 'transition';

/**
 * Why the newest of some samples of a device is to be written, or undefined when it is too early. This avoids a write whose
 * condition would fail.
 */
export function writeReasonOf(device: Device, samples: readonly DeviceState[], now: Date): WriteReason | undefined {
  const { status, savedAt, lastState, transitions = 0 } = device;
  if (status !== 'online' || savedAt === undefined || now.getTime() - Date.parse(savedAt) >= SAVE_INTERVAL_MS)
    return 'due';
  return transitions < MAX_TRANSITIONS && samples.some((sample) => isTransition(lastState, sample))
    ? 'transition'
    : undefined;
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
  if (before === after) return { expression: '', values: {} };
  return after
    ? { expression: ', takeOff = :takeOff', values: { ':takeOff': after } }
    : { expression: ' REMOVE takeOff', values: {} };
}

/** Result of a write: `saved`; `superseded`: a later state is stored, or the device was removed; or `too early`. */
export type SaveResult =
  { readonly outcome: 'saved'; readonly wasOnline: boolean } | { readonly outcome: 'superseded' | 'too early' };

/**
 * Stores the state that a device of the fleet reported, if it is later than the stored one and the reason still applies. The
 * device is online then.
 * @param change of its flight with this state
 */
export async function saveState(
  organisation: Organisation,
  deviceId: string,
  state: DeviceState,
  now: Date,
  reason: WriteReason,
  change: FlightChange = {},
): Promise<SaveResult> {
  const { condition, transitions, values } = writesByReason[reason];
  const flight = flightUpdate(change);
  const write: UpdateCommandInput = {
    TableName: table('fleet'),
    Key: fleetKey(organisation, deviceId),
    UpdateExpression:
      'SET lastState = :state, stateAt = :stateAt, reportedAt = :now, savedAt = :now, #status = :online,' +
      ` presentIn = :organisation, transitions = ${transitions}${flight.expression} ADD version :one`,
    ConditionExpression: `attribute_exists(deviceId) AND (attribute_not_exists(stateAt) OR stateAt < :stateAt) AND (${condition})`,
    ExpressionAttributeNames: { '#status': 'status' },
    ExpressionAttributeValues: {
      ':state': JSON.stringify(state),
      ':stateAt': state.timestamp,
      ':now': now.toISOString(),
      ':online': 'online',
      ':organisation': organisation,
      ':one': 1,
      ':none': 0,
      ...(reason === 'due' && { ':before': new Date(now.getTime() - SAVE_INTERVAL_MS).toISOString() }),
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
          `${flight.expression} ADD version :one`,
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

/** Whether a report without a newer state is to be recorded: for an online device one per second is. */
export const isReportDue = ({ status, reportedAt }: Device, now: Date) =>
  status !== 'online' || reportedAt === undefined || now.getTime() - Date.parse(reportedAt) >= SAVE_INTERVAL_MS;

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
          ? 'SET reportedAt = :now'
          : 'SET reportedAt = :now, #status = :online, presentIn = :organisation ADD version :one',
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
        UpdateExpression: 'SET #status = :offline REMOVE presentIn ADD version :one',
        ConditionExpression: 'reportedAt = :reportedAt AND #status = :online',
        ExpressionAttributeNames: { '#status': 'status' },
        ExpressionAttributeValues: { ':offline': 'offline', ':online': 'online', ':reportedAt': reportedAt, ':one': 1 },
      }),
    ),
  );
}
