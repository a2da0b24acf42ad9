import type { Device } from '../../domain/fleet';
import { takeOffAfter } from '../../domain/flight';
import type { Organisation } from '../../domain/id';
import type { DeviceState } from '../../domain/telemetry';
import { isRepeat, itemThatRefused } from '../store/conditional-write';
import { UpdateCommand, type UpdateCommandInput } from '../store/document-client';
import { fleetKey } from './fleet-key';
import { dynamodb, table } from '../store/dynamodb';
import { latestTurn, turnAfter, writeReasonOf } from './device-state';
import { deviceFromItem } from './fleet';

/** Whether some states of a device need nothing but {@link saveNextState}: it is online, a write is due, its flight goes on. */
export const isNextState = (device: Device, states: readonly DeviceState[], now: Date): boolean =>
  device.status === 'online' &&
  writeReasonOf(device, states, now) === 'due' &&
  takeOffAfter(device, states) === device.takeOff;

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
