import { setTimeout as pause } from 'node:timers/promises';
import {
  DeleteConnectionCommand,
  IoTDataPlaneClient,
  PublishCommand,
  ThrottlingException,
} from '@aws-sdk/client-iot-data-plane';

const client = new IoTDataPlaneClient({
  maxAttempts: 3,
  requestHandler: { connectionTimeout: 1000, requestTimeout: 2000, throwOnRequestTimeout: true },
});

/** AWS IoT takes retained messages of one topic only so fast; after this time it takes the next, in ms. */
const RETAINED_PAUSE = 1000;

const send = (topic: string, payload: string, retain: boolean) =>
  client.send(new PublishCommand({ topic, payload: new TextEncoder().encode(payload), qos: 1, retain }));

/**
 * Publishes to an MQTT topic with QoS 1. When changes come faster than AWS IoT retains them, those who listen hear of
 * each at once and, since it is then retained a moment later, twice.
 * @param payload empty with `retain` to clear what the topic retains
 */
export async function publish(topic: string, payload: string, retain: boolean): Promise<void> {
  try {
    await send(topic, payload, retain);
  } catch (error) {
    if (!retain || !(error instanceof ThrottlingException)) throw error;
    await send(topic, payload, false);
    await pause(RETAINED_PAUSE);
    await send(topic, payload, true);
  }
}

/** Ends an MQTT connection; one that has ended already is fine. */
export async function endMqttConnection(mqttClientId: string): Promise<void> {
  try {
    await client.send(new DeleteConnectionCommand({ clientId: mqttClientId, cleanSession: true }));
  } catch (error) {
    if (!(error instanceof Error) || error.name !== 'ResourceNotFoundException') throw error;
  }
}
