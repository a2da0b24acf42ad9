import { topicOf } from '../../contract/channels';
import { followersOf } from '../../data/connections';
import { closeSocket, postToSocket } from '../../data/sockets';
import { publish } from '../../data/topics';
import type { StatusEvent } from '../../domain/status-event';
import { eachAtOnce } from '../each-at-once';

async function saySockets({ channel, message, weight }: StatusEvent): Promise<void> {
  const text = JSON.stringify(message);
  for await (const page of followersOf(channel))
    await eachAtOnce(page, async (connection) => {
      // A socket lives no longer than the token that opened it.
      const isOver = connection.expiresAt * 1000 <= Date.now();
      const reached = !isOver && (await postToSocket(connection, text));
      if (isOver || (reached && weight === 'last')) await closeSocket(connection);
    });
}

async function sayTopic({ channel, message, weight }: StatusEvent): Promise<void> {
  const topic = topicOf(channel);
  await publish(topic, JSON.stringify(message), weight === 'state');
  if (weight === 'last') await publish(topic, '', true);
}

/**
 * Says something on a channel, over MQTT and to every open socket. State is retained for who subscribes
 * later; after the last word nothing is, and the sockets are closed.
 * @throws Error when the topic can't be published to or the followers can't be read; a socket never fails it
 */
export const say = (event: StatusEvent) => Promise.all([sayTopic(event), saySockets(event)]);
