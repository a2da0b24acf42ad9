import { socketsOf } from '../../data/channels/connections';
import { endMqttConnection } from '../../data/channels/mqtt-topics';
import { deleteConnection, HANDSHAKE_RETRY_DELAYS_MS } from '../../data/channels/sockets';
import { mqttClientsOf } from '../../data/channels/subscriptions';
import { allSettled } from './rollback';

/** Closes the sockets of a client. @returns how many there were */
export async function closeSockets(clientId: string): Promise<number> {
  const sockets = await socketsOf(clientId, Date.now() / 1000);
  await allSettled(sockets.map((id) => deleteConnection(id, HANDSHAKE_RETRY_DELAYS_MS)));
  return sockets.length;
}

/**
 * Ends the MQTT connections of a client. AWS IoT lists none; they are known from its lifecycle events. One whose event was lost ends when
 * it subscribes (`lambdas/channels/count-subscriptions.lambda.ts`), or within five minutes, when AWS IoT asks the authorizer again.
 * @returns how many MQTT clients were disconnected, or were gone already
 */
export async function endMqttConnections(clientId: string): Promise<number> {
  const mqttClients = await mqttClientsOf(clientId);
  await allSettled(mqttClients.map(endMqttConnection));
  return mqttClients.length;
}
