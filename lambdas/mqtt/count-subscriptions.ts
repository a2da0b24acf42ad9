import * as z from 'zod/mini';
import { MAX_SUBSCRIPTIONS } from '../../contract/channels';
import { clientsOverLimit, clearSubscriptions, recordSubscription } from '../../data/connections/subscriptions';
import { endMqttConnection } from '../../data/connections/mqtt-topics';
import { logger } from '../logger';
import { oauthClientOf } from '../auth/mqtt-client-id';

/** A lifecycle event of AWS IoT (https://docs.aws.amazon.com/iot/latest/developerguide/life-cycle-events.html). */
const lifecycleEvent = z.object({
  clientId: z.string(),
  /** Unix milliseconds. */
  timestamp: z.number(),
  eventType: z.enum(['connected', 'disconnected', 'subscribed', 'unsubscribed']),
  topics: z._default(z.array(z.string()), []),
});

/**
 * Topic rule on AWS IoT's lifecycle events: a client may have at most 100 subscriptions over all its connections
 * (spec section 8). Connections above the limit are closed, in whatever order the events arrive.
 */
export async function handler(input: unknown): Promise<void> {
  const { clientId: mqttClientId, timestamp, eventType, topics } = lifecycleEvent.parse(input);
  const clientId = oauthClientOf(mqttClientId);
  if (!clientId) return;
  if (eventType === 'connected' || eventType === 'disconnected')
    return clearSubscriptions(clientId, mqttClientId, timestamp);
  const isSubscribed = eventType === 'subscribed';
  await Promise.all(topics.map((topic) => recordSubscription(clientId, mqttClientId, topic, isSubscribed, timestamp)));
  if (!isSubscribed) return;
  for (const beyond of await clientsOverLimit(clientId, MAX_SUBSCRIPTIONS, Date.now())) {
    logger.warn('MQTT connection closed: too many subscriptions', { clientId });
    await endMqttConnection(beyond);
    await clearSubscriptions(clientId, beyond, timestamp + 1);
  }
}
