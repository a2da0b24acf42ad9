import { topicOf } from '../../contract/channels';
import { channelKey } from '../../data/connections/connections';
import { followersOf, type Follower } from '../../data/connections/followers';
import { retainLater } from '../../data/connections/retained-status';
import { isRefusedForGood, publish, type Retention } from '../../data/connections/mqtt-topics';
import type { Channel, StatusEvent } from '../../domain/status-event';
import { allSettled } from './all-settled';
import { logger } from '../logger';
import { memoise } from './memoise';
import { publishToSockets } from './publish-to-sockets';

/** Who is told of an event, a page at a time. */
export type Audience = (event: StatusEvent) => AsyncIterable<Follower[]>;

/**
 * Finds who is told of the events of a batch. For positions the followers of a channel are read once, however many of
 * its devices report: who comes meanwhile hears the next one. For all else they are read anew.
 */
export function findAudience(): Audience {
  const hearers = memoise(async (channel: Channel) => {
    const pages: Follower[][] = [];
    for await (const page of followersOf(channel)) pages.push(page);
    return pages;
  }, channelKey);
  return async function* ({ channel, weight }) {
    if (weight === 'passing') yield* await hearers(channel);
    else yield* followersOf(channel);
  };
}

/**
 * Retains the state of a channel. What AWS IoT does not retain now, because the topic had a state within the last second or
 * the account has no room, is published without, so that who listens hears of it, and retained later by another function:
 * nobody's changes wait for it.
 */
async function publishState(event: StatusEvent, payload: string, retention: Retention): Promise<void> {
  const topic = topicOf(event.channel);
  try {
    await publish(topic, payload, retention);
  } catch (error) {
    if (payload !== '') await publish(topic, payload, 'none');
    logger.warn('a state could not be retained yet', { error });
    const { message } = event;
    await retainLater({ ...event.channel, ...(message.type === 'device.status' && { deviceId: message.deviceId }) });
  }
}

async function publishEvent(event: StatusEvent): Promise<void> {
  const payload = JSON.stringify(event.message);
  switch (event.weight) {
    case 'passing':
      return publish(topicOf(event.channel), payload, 'none');
    case 'state':
      return publishState(event, payload, 'until-replaced');
    case 'final':
      return publishState(event, payload, 'for-a-day');
    case 'last':
      await publish(topicOf(event.channel), payload, 'none');
      return publishState(event, '', 'until-replaced');
  }
}

/** What AWS IoT refuses for good would hold up everything behind it in the stream. */
async function publishToTopic(event: StatusEvent): Promise<void> {
  try {
    await publishEvent(event);
  } catch (error) {
    if (!isRefusedForGood(error)) throw error;
    logger.error('a message was refused by its topic', { kind: event.channel.kind, error });
  }
}

/**
 * Says something on a channel, over MQTT and to every open socket. State is retained for who subscribes
 * later; after the last word nothing is, and the sockets are closed.
 * @throws Error when the topic can't be published to or the followers can't be read, when a socket is still open after the
 *   last word, and when one that could be neither reached nor closed can't be left to the heartbeat either
 */
export const publishStatus = (event: StatusEvent, audience: Audience = findAudience()): Promise<void> =>
  allSettled([publishToTopic(event), publishToSockets(event, audience(event))]);
