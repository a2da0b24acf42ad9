import { connectAsync, ErrorWithReasonCode } from 'mqtt';

/** A subscription to one topic, with a connection of its own. */
export interface MqttSubscription {
  /** `mqtts://<host>:<port>` */
  readonly mqttUrl: string;
  readonly ca?: readonly string[] | undefined;
  readonly clientId: string;
  readonly token: string;
  /** Suffix of the OAuth client id in the MQTT client id, which must be unique per connection. */
  readonly clientIdSuffix: string;
  readonly topic: string;
  /** Gets the text of each message, except empty ones, which only clear the retained message. */
  readonly onMessage: (text: string) => void;
}

const CONNECT_TIMEOUT_MS = 8_000;

/** Return code of CONNACK for a refused user name or password (MQTT 3.1.1, section 3.2.2.3). */
const NOT_AUTHORISED = 5;
/** The broker does not give the reason, which is one of these (docs/guides/errors.md, CONNACK 5). */
const REFUSED =
  'The MQTT broker refused the token: it must belong to this client and be valid for at least five more minutes.';

function explained(error: unknown): unknown {
  return error instanceof ErrorWithReasonCode && error.code === NOT_AUTHORISED
    ? new Error(REFUSED, { cause: error })
    : error;
}

/**
 * Subscribes to a topic over MQTTS.
 * @returns a function that disconnects
 * @throws Error when the connection or the subscription is refused
 */
export async function subscribeToTopic({
  mqttUrl,
  ca,
  clientId,
  token,
  clientIdSuffix,
  topic,
  onMessage,
}: MqttSubscription) {
  const options = {
    clientId: `${clientId}-${clientIdSuffix}`,
    username: clientId,
    password: token,
    protocolVersion: 4,
    connectTimeout: CONNECT_TIMEOUT_MS,
    ...(ca && { ca: [...ca] }),
  } as const;
  const client = await connectAsync(mqttUrl, options, false).catch((error: unknown) => {
    throw explained(error);
  });
  client.on('message', (_topic, payload) => payload.length > 0 && onMessage(payload.toString()));
  try {
    await client.subscribeAsync(topic, { qos: 1 });
  } catch (error) {
    await client.endAsync(true);
    throw error;
  }
  return () => client.endAsync(true);
}
