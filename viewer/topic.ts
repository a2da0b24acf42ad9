import mqtt from 'mqtt';
import type { BroadcastAccess } from './parse-message';

/** A subscribed MQTT topic. */
export interface Topic {
  end(): void;
}

export interface TopicOptions extends BroadcastAccess {
  readonly password: string;
  readonly onSubscribed: () => void;
  readonly onText: (text: string) => void;
}

/** Between attempts to reconnect, in ms. */
const RECONNECT_MS = 2000;
/** AWS IoT ends a connection that is silent for one and a half times as long, in seconds. */
const KEEP_ALIVE_S = 60;

/** Follows a topic, and connects again whenever the connection is lost, until it is ended. */
export function followTopic(url: string, { topic, onSubscribed, onText, ...credentials }: TopicOptions): Topic {
  const client = mqtt.connect(url, {
    ...credentials,
    protocolVersion: 4,
    keepalive: KEEP_ALIVE_S,
    reconnectPeriod: RECONNECT_MS,
    resubscribe: false,
    // The page's Content-Security-Policy allows no worker from a blob.
    timerVariant: 'native',
  });
  client.on('connect', () => {
    client.subscribe(topic, (error) => {
      if (!error) onSubscribed();
    });
  });
  client.on('message', (_topic, payload) => onText(payload.toString()));
  // Every error is followed by another attempt.
  client.on('error', () => undefined);
  return { end: () => void client.end(true) };
}
