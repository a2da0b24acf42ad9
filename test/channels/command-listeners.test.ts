import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { clients } from '../api/client';
import { fleetOf } from '../api/given';
import { database, tableNamed } from '../api/stack/aws-access';
import { listenersKey } from '../../data/channels/listeners';
import { organisationOf } from '../../domain/values/id';
import { subscribe } from './mqtt-client';
import { follow } from './socket';
import { until } from './until';

const [partner] = clients('command-listeners');
const { deviceId, deviceGroupId } = fleetOf(partner);

/**
 * Sends a command, which needs no flight; not twice the same one, which would be joined.
 * @returns its id, once the feed has it
 */
async function send(name: 'RETURN_HOME' | 'LAND'): Promise<string> {
  const { body: begin } = await partner.call('GET /v3/events');
  const { status, body } = await partner.call('POST /v3/devices/{deviceId}/commands', {
    path: { deviceId },
    body: { name },
  });
  expect(status).toBe(202);
  const { commandId } = body.command;
  await until('the command in the feed', async () => {
    const { body: feed } = await partner.call('GET /v3/events', { query: { after: begin.cursor } });
    return feed.events.find((event) => 'commandId' in event && event.commandId === commandId);
  });
  return commandId;
}

test('whoever connects hears the next command, though no client of its organisation was connected for long', async () => {
  await database().send(
    new PutCommand({
      TableName: await tableNamed('Connections'),
      Item: { ...listenersKey(organisationOf('device', deviceId) ?? ''), socketsUntil: 1, topicUntil: 1 },
    }),
  );
  const unheard = await send('RETURN_HOME');
  const mqtt = await subscribe(partner, `${deviceGroupId}/DEVICE/STATUS`);
  const heardByMqtt = await send('LAND');
  await mqtt.like({ type: 'command.status', commandId: heardByMqtt, status: 'REQUESTED' });
  const socket = await follow(partner, { kind: 'group', id: deviceGroupId });
  const heardByBoth = await send('RETURN_HOME');
  for (const follower of [mqtt, socket])
    await follower.like({ type: 'command.status', commandId: heardByBoth, status: 'REQUESTED' });
  // What came before them is in the feed. Each one supersedes the one before.
  const requested = (messages: readonly object[]) =>
    messages.flatMap((one) =>
      'commandId' in one && 'status' in one && one.status === 'REQUESTED' ? [one.commandId] : [],
    );
  expect(requested(mqtt.messages)).not.toContain(unheard);
  expect(requested(socket.messages)).not.toContain(heardByMqtt);
});
