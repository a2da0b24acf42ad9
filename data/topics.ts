import { DeleteConnectionCommand, IoTDataPlaneClient, PublishCommand } from '@aws-sdk/client-iot-data-plane';

const client = new IoTDataPlaneClient({
  maxAttempts: 3,
  requestHandler: { connectionTimeout: 1000, requestTimeout: 2000, throwOnRequestTimeout: true },
});

/**
 * Publishes to an MQTT topic with QoS 1.
 * @param payload empty with `retain` to clear what the topic retains
 */
export const publish = (topic: string, payload: string, retain: boolean) =>
  client.send(new PublishCommand({ topic, payload: new TextEncoder().encode(payload), qos: 1, retain }));

/** Ends an MQTT connection; one that has ended already is fine. */
export async function endMqttConnection(mqttClientId: string): Promise<void> {
  try {
    await client.send(new DeleteConnectionCommand({ clientId: mqttClientId, cleanSession: true }));
  } catch (error) {
    if (!(error instanceof Error) || error.name !== 'ResourceNotFoundException') throw error;
  }
}
