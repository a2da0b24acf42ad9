import * as z from 'zod/mini';
import { MAX_SUBSCRIPTIONS } from '../../contract/channels';
import { clientsBeyond, forgetSubscriptions, noteSubscription } from '../../data/connections/subscriptions';
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
 * Topic rule on IoT's lifecycle events: a client holds at most 100 subscriptions over all its connections
 * (spec section 8); the connections that went beyond are ended, in whatever order the events come.
 */
export async function handler(input: unknown): Promise<void> {
  const { clientId: mqttClientId, timestamp, eventType, topics } = lifecycleEvent.parse(input);
  const clientId = oauthClientOf(mqttClientId);
  if (!clientId) return;
  if (eventType === 'connected' || eventType === 'disconnected')
    return forgetSubscriptions(clientId, mqttClientId, timestamp);
  const stands = eventType === 'subscribed';
  await Promise.all(topics.map((topic) => noteSubscription(clientId, mqttClientId, topic, stands, timestamp)));
  if (!stands) return;
  for (const beyond of await clientsBeyond(clientId, MAX_SUBSCRIPTIONS, Date.now())) {
    logger.warn('a client went beyond its subscriptions', { clientId });
    await endMqttConnection(beyond);
    await forgetSubscriptions(clientId, beyond, timestamp + 1);
  }
}
