import { connectAsync } from 'mqtt';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { WebSocket } from 'ws';
import * as z from 'zod';
import type { Partner } from './api';
import type { RunningStack } from './stack';

const message = z.looseObject({ type: z.string(), jobState: z.string().optional(), shareState: z.string().optional() });
export type Message = z.output<typeof message>;
type Hear = (heard: Message) => void;

/** Follows a topic over MQTTS; gives what ends it. */
export async function followTopic(stack: RunningStack, { token, partner }: Partner, topic: string, hear: Hear) {
  const client = await connectAsync(stack.mqttUrl, {
    clientId: `${partner.clientId}-demo`,
    username: partner.clientId,
    password: token,
    ca: readFileSync(stack.caFile),
    protocolVersion: 4,
  });
  client.on('message', (_topic, payload) => payload.length > 0 && hear(message.parse(JSON.parse(payload.toString()))));
  await client.subscribeAsync(topic, { qos: 1 });
  return () => client.endAsync();
}

/** Follows a path over a WebSocket; gives what ends it. `first` is sent when it is open. */
export async function followSocket(stack: RunningStack, { token }: Partner, path: string, hear: Hear, first?: object) {
  const socket = new WebSocket(`${stack.wsUrl}${path}`, { headers: { authorization: `Bearer ${token}` } });
  socket.on('message', (data: Buffer) => hear(message.parse(JSON.parse(data.toString()))));
  await once(socket, 'open');
  if (first) socket.send(JSON.stringify(first));
  return () => {
    socket.close();
    return Promise.resolve();
  };
}
