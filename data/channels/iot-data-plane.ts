import {
  DeleteConnectionCommand,
  IoTDataPlaneClient,
  InvalidRequestException,
  ListSubscriptionsCommand,
  PublishCommand,
  RequestEntityTooLargeException,
} from '@aws-sdk/client-iot-data-plane';
import { clientConfig } from '../store/client-config';

const client = new IoTDataPlaneClient(clientConfig());

/**
 * AWS IoT accepts one retained message per topic and second, so an immediate retry of a refused one is useless. Subscriptions are
 * listed again in minutes anyway.
 */
const singleAttemptClient = new IoTDataPlaneClient(clientConfig({ maxAttempts: 1 }));

/** Whether and how long a message is retained for later subscribers; `until` in Unix seconds. */
export type Retention = 'none' | 'until-replaced' | { readonly until: number };

/** Seconds after which a retained message expires; an expiry of 0 would be none (MQTT 5, section 3.3.2.3.3). */
const expiryAt = (until: number) => Math.max(Math.floor(until - Date.now() / 1000), 1);

/**
 * Publishes to an MQTT topic with QoS 1.
 * @param payload empty with a retention to clear the topic's retained message
 * @throws the SDK's error; for a retained message also when the topic had one within the last second, or when the account's
 *   quota of retained messages is used up
 */
export async function publishOnTopic(topic: string, payload: string, retention: Retention): Promise<void> {
  await (retention === 'none' ? client : singleAttemptClient).send(
    new PublishCommand({
      topic,
      payload: new TextEncoder().encode(payload),
      qos: 1,
      retain: retention !== 'none',
      ...(typeof retention === 'object' && { messageExpiry: expiryAt(retention.until) }),
    }),
  );
}

/** Whether an error of {@link publishOnTopic} is permanent, so that no retry can succeed (API reference, Publish, "Errors"). */
export const isPermanentFailure = (error: unknown): boolean =>
  error instanceof InvalidRequestException || error instanceof RequestEntityTooLargeException;

/** A page of ListSubscriptions at most; a connection has at most 50 subscriptions (AWS IoT Core quotas). */
const PAGE_SIZE = 200;

/** The topics that an MQTT client is subscribed to; none when it is not connected. */
export async function subscribedTopics(mqttClientId: string): Promise<string[]> {
  const found = await unlessUnknown(
    singleAttemptClient.send(new ListSubscriptionsCommand({ clientId: mqttClientId, maxResults: PAGE_SIZE })),
  );
  return (found?.subscriptions ?? []).flatMap(({ topicFilter }) => topicFilter ?? []);
}

/** Disconnects an MQTT client; no effect when it is not connected. */
export async function endMqttConnection(mqttClientId: string): Promise<void> {
  await unlessUnknown(client.send(new DeleteConnectionCommand({ clientId: mqttClientId, cleanSession: true })));
}

/** The answer about a client, or undefined when AWS IoT knows no such client. */
async function unlessUnknown<Answer>(call: Promise<Answer>): Promise<Answer | undefined> {
  try {
    return await call;
  } catch (error) {
    if (error instanceof Error && error.name === 'ResourceNotFoundException') return undefined;
    throw error;
  }
}
