import type { Device } from '../../domain/fleet';
import type { Organisation } from '../../domain/id';
import { isTurn, type DeviceState } from '../../domain/telemetry';
import { BatchGetCommand, UpdateCommand, type UpdateCommandInput } from '../store/document-client';
import { deviceFromItem } from './fleet';
import { itemThatRefused, succeeded } from '../store/conditional-write';
import { dynamodb, table } from '../store/dynamodb';

/** A device's state is written at most so often, in ms (DESIGN section 3: 1 Hz), but for its turns. */
export const KEPT_EVERY_MS = 1000;
/** So many turns are written at once between two states that were due: more would be a device gone wild. */
const MOST_TURNS = 5;

/** Of these devices those that the organisation has, as of now; one read for up to 100. */
export async function readDevices(organisation: Organisation, deviceIds: readonly string[]): Promise<Device[]> {
  const Keys = deviceIds.map((id) => ({ organisation, id }));
  const { Responses, UnprocessedKeys } = await dynamodb.send(
    new BatchGetCommand({ RequestItems: { [table('FLEET')]: { Keys, ConsistentRead: true } } }),
  );
  if (UnprocessedKeys?.[table('FLEET')]) throw new Error('the fleet table did not answer for every key');
  return (Responses?.[table('FLEET')] ?? [])
    .map((found) => deviceFromItem(found))
    .filter((found) => found !== undefined);
}

/**
 * Why a state is written: nothing was within the last second, or the device was offline (`due`); or it makes a `turn`,
 * which is kept at once.
 */
export type Occasion = 'due' | 'turn';

/**
 * Why the newest of some samples of a device would be written; undefined when it is too early. Asked first, it spares the
 * write that would be refused.
 */
export function occasionOf(device: Device, samples: readonly DeviceState[], now: Date): Occasion | undefined {
  const { status, keptAt, lastState, turns = 0 } = device;
  if (status !== 'online' || keptAt === undefined || now.getTime() - Date.parse(keptAt) >= KEPT_EVERY_MS) return 'due';
  return turns < MOST_TURNS && samples.some((sample) => isTurn(lastState, sample)) ? 'turn' : undefined;
}

const occasions: Readonly<Record<Occasion, { condition: string; turns: string; values: Record<string, unknown> }>> = {
  due: {
    condition: 'attribute_not_exists(keptAt) OR keptAt <= :before OR #status <> :online',
    turns: ':none',
    values: {},
  },
  turn: {
    condition: 'attribute_not_exists(turns) OR turns < :most',
    turns: 'if_not_exists(turns, :none) + :one',
    values: { ':most': MOST_TURNS },
  },
};

/** What has become of a state: `kept`, no longer needed since a later one is, or refused because it came `too early`. */
export type Kept =
  { readonly outcome: 'kept'; readonly wasOnline: boolean } | { readonly outcome: 'superseded' | 'too early' };

/**
 * Keeps what a device of the fleet reported, if it is later than what is known and the occasion stands still; the device
 * is online then.
 */
export async function keepState(
  organisation: Organisation,
  deviceId: string,
  state: DeviceState,
  now: Date,
  occasion: Occasion,
): Promise<Kept> {
  const { condition, turns, values } = occasions[occasion];
  const write: UpdateCommandInput = {
    TableName: table('FLEET'),
    Key: { organisation, id: deviceId },
    UpdateExpression:
      'SET lastState = :state, stateAt = :stateAt, reportedAt = :now, keptAt = :now, #status = :online,' +
      ` presentIn = :organisation, turns = ${turns} ADD version :one`,
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
      ...(occasion === 'due' && { ':before': new Date(now.getTime() - KEPT_EVERY_MS).toISOString() }),
      ...values,
    },
    ReturnValues: 'UPDATED_OLD',
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
  };
  try {
    const { Attributes } = await dynamodb.send(new UpdateCommand(write));
    return { outcome: 'kept', wasOnline: Attributes?.['status'] === 'online' };
  } catch (error) {
    const { found } = itemThatRefused(error);
    const isGone = found?.['deviceId'] === undefined;
    const isTooEarly = !isGone && ((found['stateAt'] as string | undefined) ?? '') < state.timestamp;
    return { outcome: isTooEarly ? 'too early' : 'superseded' };
  }
}

/**
 * Keeps a state that was too early when it came in, if it is later than what is known of the device and nothing has been
 * written of it since it was read; whether the device is online it leaves as it is.
 * @param device as it was read
 * @param at when the state came in
 * @returns whether it was written
 */
export function keepTrailing(
  organisation: Organisation,
  device: Device,
  state: DeviceState,
  at: string,
  now: Date,
): Promise<boolean> {
  const { deviceId, version, reportedAt = at } = device;
  return succeeded(
    dynamodb.send(
      new UpdateCommand({
        TableName: table('FLEET'),
        Key: { organisation, id: deviceId },
        UpdateExpression:
          'SET lastState = :state, stateAt = :stateAt, keptAt = :now, reportedAt = :heard, turns = :none ADD version :one',
        ConditionExpression: 'stateAt < :stateAt AND version = :version AND reportedAt = :before',
        ExpressionAttributeValues: {
          ':state': JSON.stringify(state),
          ':stateAt': state.timestamp,
          ':now': now.toISOString(),
          ':heard': reportedAt > at ? reportedAt : at,
          ':before': reportedAt,
          ':version': version,
          ':none': 0,
          ':one': 1,
        },
      }),
    ),
  );
}

/** Whether a sign of life of a device is worth a write: of one that is online one a second is. */
export const isSignDue = ({ status, reportedAt }: Device, now: Date) =>
  status !== 'online' || reportedAt === undefined || now.getTime() - Date.parse(reportedAt) >= KEPT_EVERY_MS;

/**
 * Notes that a device was heard of, though what it told is not later than what is known; it is online then.
 * @param device as it was read
 */
export async function noteSignOfLife(organisation: Organisation, device: Device, now: Date): Promise<void> {
  const isOnline = device.status === 'online';
  await succeeded(
    dynamodb.send(
      new UpdateCommand({
        TableName: table('FLEET'),
        Key: { organisation, id: device.deviceId },
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
 * Makes a device offline that has not been heard of since `reportedAt`; one that spoke in between stays online.
 * @returns false for one that did, or that is offline or gone already
 */
export function endSilently(organisation: Organisation, deviceId: string, reportedAt: string): Promise<boolean> {
  return succeeded(
    dynamodb.send(
      new UpdateCommand({
        TableName: table('FLEET'),
        Key: { organisation, id: deviceId },
        UpdateExpression: 'SET #status = :offline REMOVE presentIn ADD version :one',
        ConditionExpression: 'reportedAt = :reportedAt AND #status = :online',
        ExpressionAttributeNames: { '#status': 'status' },
        ExpressionAttributeValues: { ':offline': 'offline', ':online': 'online', ':reportedAt': reportedAt, ':one': 1 },
      }),
    ),
  );
}
