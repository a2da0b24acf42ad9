import * as z from 'zod/mini';
import { MAX_SUBSCRIPTIONS } from '../../contract/channels';
import {
  clientsOverLimit,
  clearSubscriptions,
  invalidateSubscriptions,
  MAX_SESSION_S,
  recordSubscription,
} from '../../data/connections/subscriptions';
import { endMqttConnection } from '../../data/connections/mqtt-topics';
import { findPartner } from '../../data/partners/partners';
import { logger } from '../logger';
import { oauthClientOf } from '../auth/mqtt-client-id';
import { noteTopicAudience } from '../delivery/topic-audience';

/** A lifecycle event of AWS IoT (https://docs.aws.amazon.com/iot/latest/developerguide/life-cycle-events.html). */
const lifecycleEvent = z.object({
  clientId: z.string(),
  /** Unix milliseconds. */
  timestamp: z.number(),
  eventType: z.enum(['connected', 'disconnected', 'subscribed', 'unsubscribed']),
  topics: z._default(z.array(z.string()), []),
});

/** Those of the client's own organisation have an audience until the session ends at the latest. */
async function noteAudience(clientId: string, topics: readonly string[], timestamp: number): Promise<void> {
  const partner = await findPartner(clientId);
  if (partner) await noteTopicAudience(topics, partner.organisation, Math.ceil(timestamp / 1000) + MAX_SESSION_S);
}

/** A client may have at most 100 subscriptions over all its connections (spec section 8). */
async function closeBeyondLimit(clientId: string, timestamp: number): Promise<void> {
  for (const beyond of await clientsOverLimit(clientId, MAX_SUBSCRIPTIONS, Date.now())) {
    logger.warn('MQTT connection closed: too many subscriptions', { clientId });
    await endMqttConnection(beyond);
    await clearSubscriptions(clientId, beyond, timestamp + 1);
  }
}

/**
 * Topic rule on AWS IoT's lifecycle events: positions are published to a topic while it has subscribers, and connections above
 * the limit of subscriptions are closed, in whatever order the events arrive.
 */
export async function handler(input: unknown): Promise<void> {
  const { clientId: mqttClientId, timestamp, eventType, topics } = lifecycleEvent.parse(input);
  const clientId = oauthClientOf(mqttClientId);
  if (!clientId) return;
  // What is left of an earlier session is deleted when this one ends: it no longer counts.
  if (eventType === 'connected') return invalidateSubscriptions(clientId, mqttClientId, timestamp);
  if (eventType === 'disconnected') return clearSubscriptions(clientId, mqttClientId, timestamp);
  const isSubscribed = eventType === 'subscribed';
  // First the audience: a recorded subscription is not looked at again when the session is refreshed.
  if (isSubscribed) await noteAudience(clientId, topics, timestamp);
  await Promise.all(topics.map((topic) => recordSubscription(clientId, mqttClientId, topic, isSubscribed, timestamp)));
  if (isSubscribed) await closeBeyondLimit(clientId, timestamp);
}
