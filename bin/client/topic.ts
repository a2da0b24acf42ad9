import { connectAsync } from 'mqtt';

/** Where MQTT is spoken, who connects, and what they follow. */
export interface Subscription {
  /** `mqtts://<host>:<port>` */
  readonly mqttUrl: string;
  readonly ca?: readonly string[] | undefined;
  readonly clientId: string;
  readonly token: string;
  /** What follows the OAuth client id in the MQTT client id: no two connections may have the same. */
  readonly suffix: string;
  readonly topic: string;
  /** Gets each message as it came; an empty one only clears what the topic retains and is left out. */
  readonly hear: (text: string) => void;
}

const CONNECT_WITHIN_MS = 8_000;

/**
 * Follows a topic over MQTTS.
 * @returns what ends the connection
 * @throws Error when the connection or the subscription is refused
 */
export async function followTopic({ mqttUrl, ca, clientId, token, suffix, topic, hear }: Subscription) {
  const options = {
    clientId: `${clientId}-${suffix}`,
    username: clientId,
    password: token,
    protocolVersion: 4,
    connectTimeout: CONNECT_WITHIN_MS,
    ...(ca && { ca: [...ca] }),
  } as const;
  const client = await connectAsync(mqttUrl, options, false);
  client.on('message', (_topic, payload) => payload.length > 0 && hear(payload.toString()));
  try {
    await client.subscribeAsync(topic, { qos: 1 });
  } catch (error) {
    await client.endAsync(true);
    throw error;
  }
  return () => client.endAsync(true);
}
