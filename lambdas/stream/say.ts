import { topicOf } from '../../contract/channels';
import { channelKey, followersOf, type Connection } from '../../data/connections';
import { closeSocket, postToSocket } from '../../data/sockets';
import { publish } from '../../data/topics';
import type { Channel, StatusEvent } from '../../domain/status-event';
import { allDone } from '../all-done';
import { eachAtOnce } from '../each-at-once';
import { logger } from '../logger';
import { readOnce } from '../read-once';

/** One socket must not keep a change from the others; but a channel that has ended is not left while one is open. */
function sayOne(text: string, weight: StatusEvent['weight']) {
  return async (connection: Connection): Promise<void> => {
    try {
      // A socket lives no longer than the token that opened it; a viewer is to hear that the time of its share is up.
      const isEnd = weight === 'last' && connection.shareCode !== undefined;
      const isOver = connection.expiresAt * 1000 <= Date.now() && !isEnd;
      const reached = !isOver && (await postToSocket(connection, text));
      if (isOver || (reached && weight === 'last')) await closeSocket(connection);
    } catch (error) {
      if (weight === 'last') throw error;
      const { connectionId } = connection;
      logger.warn('a socket could be neither reached nor closed', { connectionId, reason: String(error) });
    }
  };
}

/** Who is told of an event, a page at a time. */
export type Audience = (event: StatusEvent) => AsyncIterable<Connection[]>;

/**
 * Finds who is told of the events of a batch. For positions the followers of a channel are read once, however many of
 * its devices report: who comes meanwhile hears the next one. For all else they are read anew.
 */
export function findAudience(): Audience {
  const hearers = readOnce(async (channel: Channel) => {
    const pages: Connection[][] = [];
    for await (const page of followersOf(channel)) pages.push(page);
    return pages;
  }, channelKey);
  return async function* ({ channel, weight }) {
    if (weight === 'passing') yield* await hearers(channel);
    else yield* followersOf(channel);
  };
}

async function saySockets(event: StatusEvent, audience: Audience): Promise<void> {
  const serve = sayOne(JSON.stringify(event.message), event.weight);
  for await (const page of audience(event)) await eachAtOnce(page, serve);
}

async function sayTopic({ channel, message, weight }: StatusEvent): Promise<void> {
  const topic = topicOf(channel);
  await publish(topic, JSON.stringify(message), weight === 'state');
  if (weight === 'last') await publish(topic, '', true);
}

/**
 * Says something on a channel, over MQTT and to every open socket. State is retained for who subscribes
 * later; after the last word nothing is, and the sockets are closed.
 * @throws Error when the topic can't be published to or the followers can't be read, and when a socket is
 *   still open after the last word; no socket fails it otherwise
 */
export const say = (event: StatusEvent, audience: Audience = findAudience()): Promise<void> =>
  allDone([sayTopic(event), saySockets(event, audience)]);
