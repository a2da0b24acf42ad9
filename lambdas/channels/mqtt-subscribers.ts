import { channelOfTopic } from '../../contract/channels/status-channels';
import { noteFollowed, type Followed } from '../../data/channels/followed-channels';
import { subscribedTopics } from '../../data/channels/iot-data-plane';
import { MAX_SESSION_S, missingSubscriptions, recordSubscription } from '../../data/channels/subscriptions';
import { organisationOf, type Organisation } from '../../domain/values/id';
import type { CallerIdentity } from '../access/identify';
import { logger } from '../runtime/logger';

/** The resource of an organisation that a topic is about. */
function followedBy(topic: string, organisation: Organisation): Followed[] {
  const channel = channelOfTopic(topic);
  return channel && organisationOf(channel.kind, channel.id) === organisation ? [channel] : [];
}

const STEP_S = MAX_SESSION_S / 2;

/**
 * A later end of the subscriptions to a job or a share has its state published again, which those who have subscribed
 * already need not get for each other subscriber: it is a multiple of half an hour.
 */
const inSteps = (kind: Followed['kind'], until: number) =>
  kind === 'group' ? until : Math.ceil(until / STEP_S) * STEP_S;

/**
 * Notes that topics have subscribers, so that their jobs, shares and positions are published to them; no effect on
 * topics of other organisations.
 * @param until when the subscriptions end at the latest, Unix seconds
 */
export async function noteSubscribedTopics(
  topics: readonly string[],
  organisation: Organisation,
  until: number,
): Promise<void> {
  const followed = topics.flatMap((topic) => followedBy(topic, organisation));
  await Promise.all(followed.map((one) => noteFollowed(one, 'topic', inSteps(one.kind, until))));
}

/**
 * Makes up for lost lifecycle events: notes and records the subscriptions that an MQTT client has without a record of them.
 * @throws the SDK's error when AWS IoT or DynamoDB does not answer
 */
export async function recoverSubscriptions(
  { clientId, organisation, expiresAt }: CallerIdentity,
  mqttClientId: string,
): Promise<void> {
  const listedAt = Date.now();
  const topics = await subscribedTopics(mqttClientId);
  if (topics.length === 0) return;
  const missing = await missingSubscriptions(clientId, mqttClientId, topics, listedAt);
  if (missing.length === 0) return;
  logger.warn('MQTT subscriptions recorded without their events', { clientId, count: missing.length });
  await noteSubscribedTopics(missing, organisation, expiresAt);
  await Promise.all(missing.map((topic) => recordSubscription(clientId, mqttClientId, topic, true, listedAt)));
}
