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
/**
 * How much earlier than that a state may come, in ms: what a device sends once a second arrives unevenly. The time that is stored
 * with it is that of its turn, so that the rate stays the same.
 */
const MAX_EARLY_MS = SAVE_INTERVAL_MS / 2;
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

/** The latest `savedAt` after which a state is due, ISO 8601. */
export const latestTurn = (now: Date) => new Date(now.getTime() - SAVE_INTERVAL_MS + MAX_EARLY_MS).toISOString();

/** The `savedAt` of a state that is due: now, or the turn that it is ahead of; ISO 8601. */
export function turnAfter({ savedAt, status }: Device, now: Date): string {
  const turn = savedAt === undefined || status !== 'online' ? 0 : Date.parse(savedAt) + SAVE_INTERVAL_MS;
  const isAhead = turn > now.getTime() && turn <= now.getTime() + MAX_EARLY_MS;
  return new Date(isAhead ? turn : now.getTime()).toISOString();
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
  if (status !== 'online' || savedAt === undefined || savedAt <= latestTurn(now)) return 'due';
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
