import { readFileSync } from 'node:fs';
import { connect, type IClientOptions, type MqttClient } from 'mqtt';
import type { Client } from '../api/client';
import { readFacts } from '../api/stack/facts';
import { Heard } from './heard';

/** In place of a QoS, for a subscription that is refused (MQTT 3.1.1, section 3.9.3). */
const REFUSED = 128;

/** A message as it came; `retained`: it had been published before. */
interface Received {
  readonly topic: string;
  readonly text: string;
  readonly retained: boolean;
  readonly qos: number;
}

/** A connected MQTT client and what it received. */
export class Mqtt extends Heard {
  readonly received: Received[] = [];
  /** Resolves when the connection is over, whoever ended it. */
  readonly ended: Promise<void>;

  constructor(readonly client: MqttClient) {
    super();
    client.on('message', (topic, payload, { retain, qos }) => {
      const text = payload.toString();
      this.received.push({ topic, text, retained: retain, qos });
      if (text !== '') this.hear(text);
    });
    this.ended = new Promise((resolve) => client.once('close', resolve));
    // What goes wrong ends in a close.
    client.on('error', () => undefined);
    open.push(this);
  }

  /** Whether each of the topics could be subscribed to. */
  subscribe(...topics: string[]): Promise<boolean[]> {
    return new Promise((resolve, reject) => {
      // The client calls a refusal an error, and the answer has one code for each topic.
      this.client.subscribe(topics, { qos: 1 }, (error, _, answer) => {
        if (answer) resolve(answer.granted.map((qos) => Number(qos) !== REFUSED));
        else reject(error ?? new Error('a subscription was not answered'));
      });
    });
  }

  /** Ends the connection. */
  async close(): Promise<void> {
    await this.client.endAsync(true);
  }
}

/** Those that a test has left connected. */
const open: Mqtt[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((left) => left.close()));
});

let connections = 0;

/** Connects as a partner's client; `options` stand in place of what is right. Gives the error of a refusal. */
export async function tryToConnect(client: Client, options: IClientOptions = {}): Promise<Mqtt | Error> {
  const { mqttUrl, caFile } = readFacts();
  const { clientId } = client.credentials;
  const connecting = connect(mqttUrl, {
    username: clientId,
    password: await client.token(),
    clientId: `${clientId}-${++connections}`,
    ...(caFile !== undefined && { ca: readFileSync(caFile) }),
    protocolVersion: 4,
    reconnectPeriod: 0,
    ...options,
  });
  const connected = new Mqtt(connecting);
  return new Promise((resolve) => {
    connecting.once('connect', () => resolve(connected));
    connecting.once('error', resolve);
    connecting.once('close', () => resolve(new Error('closed')));
  });
}

/** As `tryToConnect`. @throws Error when the connection is refused */
export async function connectMqtt(client: Client, options?: IClientOptions): Promise<Mqtt> {
  const connected = await tryToConnect(client, options);
  if (connected instanceof Error) throw connected;
  return connected;
}

/** Connects and subscribes to topics that the client may subscribe to. */
export async function subscribe(client: Client, ...topics: string[]): Promise<Mqtt> {
  const connected = await connectMqtt(client);
  expect(await connected.subscribe(...topics)).toEqual(topics.map(() => true));
  return connected;
}
