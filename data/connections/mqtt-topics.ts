import {
  DeleteConnectionCommand,
  IoTDataPlaneClient,
  InvalidRequestException,
  PublishCommand,
  RequestEntityTooLargeException,
} from '@aws-sdk/client-iot-data-plane';

const patience = { connectionTimeout: 1000, requestTimeout: 2000, throwOnRequestTimeout: true };
const client = new IoTDataPlaneClient({ maxAttempts: 3, requestHandler: patience });

/** AWS IoT retains one message of a topic a second: what it refuses is not to be tried again at once. */
const retaining = new IoTDataPlaneClient({ maxAttempts: 1, requestHandler: patience });

/** Whether a message is kept for who subscribes later, and for how long. */
export type Retention = 'none' | 'until-replaced' | 'for-a-day';

const DAY_S = 86_400;

/**
 * Publishes to an MQTT topic with QoS 1.
 * @param payload empty with a retention to clear what the topic retains
 * @throws what AWS IoT refused it with: a retained message also when the topic had one within the last second, or when
 *   the account has as many as its quota allows
 */
export async function publish(topic: string, payload: string, retention: Retention): Promise<void> {
  await (retention === 'none' ? client : retaining).send(
    new PublishCommand({
      topic,
      payload: new TextEncoder().encode(payload),
      qos: 1,
      retain: retention !== 'none',
      ...(retention === 'for-a-day' && { messageExpiry: DAY_S }),
    }),
  );
}

/** Whether AWS IoT will never take a message, however often it is published (API reference, Publish, "Errors"). */
export const isRefusedForGood = (error: unknown): boolean =>
  error instanceof InvalidRequestException || error instanceof RequestEntityTooLargeException;

/** Ends an MQTT connection; one that has ended already is fine. */
export async function endMqttConnection(mqttClientId: string): Promise<void> {
  try {
    await client.send(new DeleteConnectionCommand({ clientId: mqttClientId, cleanSession: true }));
  } catch (error) {
    if (!(error instanceof Error) || error.name !== 'ResourceNotFoundException') throw error;
  }
}
