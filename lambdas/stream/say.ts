import { topicOf } from '../../contract/channels';
import { followersOf, type Connection } from '../../data/connections';
import { closeSocket, postToSocket } from '../../data/sockets';
import { publish } from '../../data/topics';
import type { StatusEvent } from '../../domain/status-event';
import { allDone } from '../all-done';
import { eachAtOnce } from '../each-at-once';
import { logger } from '../logger';

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

async function saySockets({ channel, message, weight }: StatusEvent): Promise<void> {
  const serve = sayOne(JSON.stringify(message), weight);
  for await (const page of followersOf(channel)) await eachAtOnce(page, serve);
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
export const say = (event: StatusEvent): Promise<void> => allDone([sayTopic(event), saySockets(event)]);
