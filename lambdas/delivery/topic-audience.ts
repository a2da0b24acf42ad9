import { channelOfTopic } from '../../contract/channels';
import { noteFollowed, type Followed } from '../../data/connections/audience';
import { subscribedTopics } from '../../data/connections/mqtt-topics';
import { missingSubscriptions, recordSubscription } from '../../data/connections/subscriptions';
import { organisationOf, type Organisation } from '../../domain/id';
import type { Identity } from '../auth/identify';
import { logger } from '../logger';

/** The job or the group of an organisation whose positions are published to a topic. */
function followedBy(topic: string, organisation: Organisation): Followed[] {
  const channel = channelOfTopic(topic);
  if (!channel || channel.kind === 'share') return [];
  const { kind, id } = channel;
  return organisationOf(kind, id) === organisation ? [{ kind, id }] : [];
}

/**
 * Notes that topics have subscribers, so that positions are published to them; no effect on topics of other organisations.
 * @param until when the subscriptions end at the latest, Unix seconds
 */
export async function noteTopicAudience(
  topics: readonly string[],
  organisation: Organisation,
  until: number,
): Promise<void> {
  const followed = topics.flatMap((topic) => followedBy(topic, organisation));
  await Promise.all(followed.map((one) => noteFollowed(one, 'topic', until)));
}

/**
 * Makes up for lost lifecycle events: notes and records the subscriptions that an MQTT client has without a record of them.
 * @throws the SDK's error when AWS IoT or DynamoDB does not answer
 */
export async function recoverSubscriptions(
  { clientId, organisation, expiresAt }: Identity,
  mqttClientId: string,
): Promise<void> {
  const listedAt = Date.now();
  const topics = await subscribedTopics(mqttClientId);
  if (topics.length === 0) return;
  const missing = await missingSubscriptions(clientId, mqttClientId, topics, listedAt);
  if (missing.length === 0) return;
  logger.warn('MQTT subscriptions recorded without their events', { clientId, count: missing.length });
  await noteTopicAudience(missing, organisation, expiresAt);
  await Promise.all(missing.map((topic) => recordSubscription(clientId, mqttClientId, topic, true, listedAt)));
}
