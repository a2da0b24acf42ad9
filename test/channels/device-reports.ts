import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { fleetKey } from '../../data/fleet/fleet-key';
import { organisationOf } from '../../domain/values/id';
import type { DeviceState } from '../../domain/telemetry/sample';
import { database, tableNamed } from '../api/stack/aws-access';
import type { Message } from './message-log';
import { until } from './until';

/** Sets attributes of a device of the fleet. */
async function update(deviceId: string, attributes: Readonly<Record<string, string>>): Promise<void> {
  const names = Object.keys(attributes);
  await database().send(
    new UpdateCommand({
      TableName: await tableNamed('Fleet'),
      Key: fleetKey(organisationOf('device', deviceId) ?? '', deviceId),
      UpdateExpression: `SET ${names.map((name) => `#${name} = :${name}`).join(', ')} REMOVE quiet ADD version :one`,
      ConditionExpression: 'attribute_exists(deviceId)',
      ExpressionAttributeNames: Object.fromEntries(names.map((name) => [`#${name}`, name])),
      ExpressionAttributeValues: {
        ...Object.fromEntries(names.map((name) => [`:${name}`, attributes[name]])),
        ':one': 1,
      },
    }),
  );
}

/** Stores a device state like the service does for telemetry, at most once a second. */
export const report = (deviceId: string, state: DeviceState) =>
  update(deviceId, { lastState: JSON.stringify(state), status: 'online', reportedAt: new Date().toISOString() });

/**
 * Reports states until one of them arrives: a subscription to the topic of a group is known a moment after it was
 * granted, and half a second later to an instance that has just looked.
 * @param stateAt the state with a new timestamp
 * @param received the messages that a subscriber has received so far
 * @returns the message that arrived
 */
export async function reportUntilReceived(
  deviceId: string,
  stateAt: (count: number) => DeviceState,
  received: readonly Message[],
): Promise<Message> {
  const sent = new Set<unknown>();
  return until('a reported state', async () => {
    const state = stateAt(sent.size);
    sent.add(state.timestamp);
    await report(deviceId, state);
    return received.find(({ timestamp }) => sent.has(timestamp));
  });
}

/** Sets a device offline. */
export const goOffline = (deviceId: string) => update(deviceId, { status: 'offline' });

/** The state of a device whose check was lost, or whose function ended before it scheduled the check. */
export const loseCheck = (deviceId: string, reportedAt: Date) =>
  update(deviceId, {
    status: 'online',
    reportedAt: reportedAt.toISOString(),
    presentIn: organisationOf('device', deviceId) ?? '',
  });
