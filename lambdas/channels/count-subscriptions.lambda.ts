import * as z from 'zod/mini';
import { MAX_SUBSCRIPTIONS } from '../../contract/channels/status-channels';
import {
  clearSubscriptions,
  clientsBeyond,
  invalidateSubscriptions,
  MAX_SESSION_S,
  recordSubscription,
} from '../../data/channels/subscriptions';
import { endMqttConnection } from '../../data/channels/iot-data-plane';
import type { Partner } from '../../domain/access/partner';
import { findPartner } from '../../data/access/partners';
import { logger } from '../runtime/logger';
import { parseOauthClient } from '../../contract/channels/mqtt-client-id';
import { noteSubscribedTopics } from './mqtt-subscribers';

/** A lifecycle event of AWS IoT (https://docs.aws.amazon.com/iot/latest/developerguide/life-cycle-events.html). */
const lifecycleEvent = z.object({
  clientId: z.string(),
  /** Unix milliseconds. */
  timestamp: z.number(),
  eventType: z.enum(['connected', 'disconnected', 'subscribed', 'unsubscribed']),
  topics: z._default(z.array(z.string()), []),
});

/**
 * The MQTT clients of a partner that may not stay. It may have at most 100 subscriptions over all its connections (spec
 * section 8), and none of a connection that began before its tokens were revoked: AWS IoT lists no connections, so that
 * is noticed here.
 */
async function clientsToClose({ clientId, status, tokensFrom = 0 }: Partner, mqttClientId: string): Promise<string[]> {
  if (status !== 'active') return [mqttClientId];
  return clientsBeyond(clientId, { max: MAX_SUBSCRIPTIONS, from: tokensFrom * 1000, now: Date.now() });
}

/**
 * Topic rule on AWS IoT's lifecycle events: positions are published to a topic while it has subscribers, and
 * connections that may not stay are closed, in whatever order the events arrive. The events of another stage's clients
 * come too, which only the table tells from this one's.
 */
export async function handler(input: unknown): Promise<void> {
  const { clientId: mqttClientId, timestamp, eventType, topics } = lifecycleEvent.parse(input);
  const clientId = parseOauthClient(mqttClientId);
  const partner = clientId === undefined ? undefined : await findPartner(clientId);
  if (!partner) return;
  // What is left of an earlier session is deleted when this one ends: it no longer counts.
  if (eventType === 'connected') return invalidateSubscriptions(partner.clientId, mqttClientId, timestamp);
  if (eventType === 'disconnected') return clearSubscriptions(partner.clientId, mqttClientId, timestamp);
  const isSubscribed = eventType === 'subscribed';
  // First until when they are followed, of its own organisation's topics: a recorded subscription is not looked at
  // again when the session is refreshed.
  if (isSubscribed) {
    const until = Math.ceil(timestamp / 1000) + MAX_SESSION_S;
    await noteSubscribedTopics(topics, partner.organisation, until);
  }
  await Promise.all(
    topics.map((topic) => recordSubscription(partner.clientId, mqttClientId, topic, isSubscribed, timestamp)),
  );
  if (!isSubscribed) return;
  for (const beyond of await clientsToClose(partner, mqttClientId)) {
    logger.warn('MQTT connection closed: too many subscriptions, or an earlier token', { clientId });
    await endMqttConnection(beyond);
    await clearSubscriptions(partner.clientId, beyond, timestamp + 1);
  }
}
