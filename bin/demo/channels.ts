import * as z from 'zod';
import { authorities } from '../client/authorities';
import { openSocket } from '../client/socket';
import * as topics from '../client/topic';
import type { Partner } from './api';
import type { RunningStack } from './stack';

const message = z.looseObject({ type: z.string(), jobState: z.string().optional(), shareState: z.string().optional() });
export type Message = z.output<typeof message>;
type Hear = (heard: Message) => void;

const read = (hear: Hear) => (text: string) => hear(message.parse(JSON.parse(text)));

/** Follows a topic over MQTTS; gives what ends it. */
export const followTopic = (
  { mqttUrl, caFile }: RunningStack,
  { token, partner }: Partner,
  topic: string,
  hear: Hear,
) =>
  topics.followTopic({
    mqttUrl,
    ca: authorities(caFile),
    clientId: partner.clientId,
    token,
    suffix: 'demo',
    topic,
    hear: read(hear),
  });

/** Follows a path over a WebSocket; gives what ends it. `first` is sent when it is open. */
export async function followSocket(
  { wsUrl }: RunningStack,
  { token }: Partner,
  path: string,
  hear: Hear,
  first?: object,
) {
  const socket = await openSocket({ url: `${wsUrl}${path}`, token, hear: read(hear) });
  if (first) socket.send(first);
  return () => {
    socket.close();
    return Promise.resolve();
  };
}
