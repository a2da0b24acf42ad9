import { readFileSync } from 'node:fs';
import { connect, type IClientOptions, type MqttClient } from 'mqtt';
import { GetCommand } from '@aws-sdk/lib-dynamodb';
import type { Client } from '../api/client';
import { readFacts } from '../api/stack/facts';
import { afterTests } from './after-tests';
import { MessageLog } from './message-log';
import type { ChannelKind } from '../../contract/channels/status-channels';
import { fleetKey } from '../../data/fleet/fleet-key';
import { organisationOf } from '../../domain/values/id';
import { database, tableNamed } from '../api/stack/aws-access';

/** Return code of a refused subscription (MQTT 3.1.1, section 3.9.3). */
const REFUSED = 128;

/** A received message; `retained` if it was published before the subscription. */
interface Received {
  readonly topic: string;
  readonly text: string;
  readonly retained: boolean;
  readonly qos: number;
}

/** A connected MQTT client and its received messages. */
export class Mqtt extends MessageLog {
  readonly received: Received[] = [];
  /** Resolves when either side has closed the connection. */
  readonly ended: Promise<void>;

  constructor(readonly client: MqttClient) {
    super();
    client.on('message', (topic, payload, { retain, qos }) => {
      const text = payload.toString();
      this.received.push({ topic, text, retained: retain, qos });
      if (text !== '') this.add(text);
    });
    this.ended = new Promise((resolve) => client.once('close', resolve));
    // Every error is followed by a close.
    client.on('error', () => undefined);
    open.push(this);
  }

  /** Returns for each topic whether the subscription was granted. */
  subscribe(...topics: string[]): Promise<boolean[]> {
    return new Promise((resolve, reject) => {
      // The client reports a refusal as an error; the SUBACK has one code per topic.
      this.client.subscribe(topics, { qos: 1 }, (error, _, answer) => {
        if (answer) resolve(answer.granted.map((qos) => Number(qos) !== REFUSED));
        else reject(error ?? new Error('a subscription was not answered'));
      });
    });
  }

  async close(): Promise<void> {
    await this.client.endAsync(true);
  }
}

/** Clients that tests have left connected. */
const open: Mqtt[] = [];
afterTests(async () => {
  await Promise.all(open.splice(0).map((left) => left.close()));
});

let connections = 0;

/** Connects as a partner's client; `options` override the correct ones. Returns the error of a refusal. */
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

/** Connects and subscribes. Fails if a subscription is refused. */
export async function subscribe(client: Client, ...topics: string[]): Promise<Mqtt> {
  const connected = await connectMqtt(client);
  expect(await connected.subscribe(...topics)).toEqual(topics.map(() => true));
  return connected;
}

/**
 * Until when somebody may be subscribed to the topic of a job, a group or a share, Unix seconds; undefined before
 * anybody was.
 */
export async function topicUntil(kind: ChannelKind, id: string): Promise<number | undefined> {
  const organisation = organisationOf(kind, id) ?? '';
  const [name, Key] = {
    job: ['Jobs', { organisation, jobId: id }] as const,
    share: ['Shares', { organisation, shareCode: id }] as const,
    group: ['Fleet', fleetKey(organisation, id)] as const,
  }[kind];
  const { Item } = await database().send(
    new GetCommand({ TableName: await tableNamed(name), Key, ConsistentRead: true }),
  );
  return Item?.['topicUntil'] as number | undefined;
}
