import { setTimeout as pause } from 'node:timers/promises';
import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { connectAsync, type MqttClient } from 'mqtt';
import { readFileSync } from 'node:fs';
import { WebSocket } from 'ws';
import { requestMix } from '../bench/load/rest';
import { splitEndpointKey } from '../../contract/endpoint-table';
import { topicName } from '../../contract/terms/channel-addresses';
import { pathOf, type Client } from '../api/client';
import { fleetOf, givenJob } from '../api/given';
import { access } from '../api/stack/aws-access';
import { readFacts } from '../api/stack/facts';
import { publishPlatformEvent } from '../channels/platform-bus';
import { pathOf as channelPath } from '../channels/socket';

/** How long a client waits for what a fault may keep from coming. */
const PATIENCE_MS = 2000;

/** How often each kind begins, in ms, whether the last one has ended or not, and how many run at most. */
const intervals = { request: 120, token: 300, socket: 350, mqtt: 350, report: 400, scheduled: 500 };
const MOST_AT_A_TIME = 20;

/** A client with a job of its own. */
interface Partner {
  readonly client: Client;
  readonly token: string;
  readonly jobId: string;
}

export interface SteadyLoad {
  /** Whether the platform reports; off while its reports would be late. */
  reports: boolean;
  stop(): Promise<void>;
}

/**
 * The day of partners and of the platform: the mix of requests of the load test, tokens, sockets, MQTT sessions and
 * reports, each at a steady rate; and the scheduled functions, which by the clock of the alarms run once a minute. What
 * a fault does to them is left to the alarms.
 */
export async function startSteadyLoad(clients: readonly [Client, ...Client[]]): Promise<SteadyLoad> {
  const partners = await Promise.all(
    clients.map(async (client): Promise<Partner> => {
      const { jobId } = await givenJob(client);
      return { client, token: await client.token(), jobId };
    }),
  );
  const [{ client }] = partners as [Partner];
  const scheduled = await scheduledFunctions();
  let stopped = false;
  let count = 0;
  let turn = 0;
  /** In turn, since limits count per client. */
  const next = () => partners[++turn % partners.length] as Partner;
  // Somebody follows the group all day, so its devices' states are published over MQTT.
  const follower = await subscribed(next(), topicName({ kind: 'group', id: fleetOf(client).deviceGroupId }));
  const load = { reports: true };

  const kinds: Readonly<Record<keyof typeof intervals, () => Promise<unknown>>> = {
    request: () => {
      const key = requestMix[++count % requestMix.length] ?? 'GET /v3/jobs';
      return call(key, next(), `Survey ${count}`);
    },
    token: () => requestToken(client),
    socket: () => followOnce(next()),
    mqtt: async () => {
      const partner = next();
      await (await subscribed(partner, topicName({ kind: 'job', id: partner.jobId }))).endAsync(true);
    },
    report: () => (load.reports ? report(client, ++count) : Promise.resolve()),
    scheduled: () => Promise.all(scheduled.map(invoke)),
  };
  const running = (Object.keys(intervals) as (keyof typeof intervals)[]).map(async (kind) => {
    const open = new Set<Promise<unknown>>();
    while (!stopped) {
      if (open.size < MOST_AT_A_TIME) {
        const one = kinds[kind]()
          .catch(() => undefined)
          .finally(() => open.delete(one));
        open.add(one);
      }
      await pause(intervals[kind]);
    }
    await Promise.all(open);
  });
  return Object.assign(load, {
    async stop() {
      stopped = true;
      await Promise.all(running);
      await follower.endAsync(true);
    },
  });
}

async function call(key: (typeof requestMix)[number], { client, token, jobId }: Partner, name: string): Promise<void> {
  const { method } = splitEndpointKey(key);
  const { deviceGroupId } = fleetOf(client);
  const body = method === 'POST' ? { name, deviceGroupId } : method === 'PATCH' ? { name } : undefined;
  const answer = await fetch(readFacts().baseUrl + pathOf(key, { jobId }), {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  });
  await answer.text();
}

async function requestToken({ credentials }: Client): Promise<void> {
  const { clientId, clientSecret, apiKey } = credentials;
  const answer = await fetch(`${readFacts().baseUrl}/v3/auth/token`, {
    method: 'POST',
    headers: { 'x-api-key': apiKey, 'content-type': 'application/json' },
    body: JSON.stringify({ grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret }),
  });
  await answer.text();
}

/** Opens a socket, waits for its first message, and closes it. */
function followOnce({ token, jobId }: Partner): Promise<void> {
  const path = channelPath({ kind: 'job', id: jobId });
  const socket = new WebSocket(readFacts().wsUrl + path, { headers: { authorization: `Bearer ${token}` } });
  return new Promise((resolve) => {
    const timer = setTimeout(() => socket.terminate(), PATIENCE_MS);
    socket.once('message', () => socket.close());
    socket.once('error', () => socket.terminate());
    socket.once('close', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}

let connections = 0;

/** An MQTT session that is subscribed to a topic. */
async function subscribed({ client: { credentials }, token }: Partner, topic: string): Promise<MqttClient> {
  const { mqttUrl, caFile } = readFacts();
  const { clientId } = credentials;
  const connected = await connectAsync(mqttUrl, {
    username: clientId,
    password: token,
    clientId: `${clientId}-day-${++connections}`,
    ...(caFile !== undefined && { ca: readFileSync(caFile) }),
    protocolVersion: 4,
    reconnectPeriod: 0,
    connectTimeout: PATIENCE_MS * 10,
  });
  await connected.subscribeAsync(topic, { qos: 1 });
  return connected;
}

/** Each tells another state, which followers of the group get over MQTT. */
const report = (client: Client, count: number) =>
  publishPlatformEvent(
    'device.telemetry.reported',
    {
      deviceId: fleetOf(client).deviceId,
      timestamp: new Date().toISOString(),
      droneState: count % 2 === 0 ? 'HOVER' : 'WAYPOINT',
    },
    new Date(),
  );

/** Names of the functions that a schedule invokes once a minute. */
async function scheduledFunctions(): Promise<string[]> {
  const { endpoint = '', credentials } = access();
  const answer = await fetch(`${endpoint}/_calls`, {
    headers: { authorization: `Bearer ${credentials?.accessKeyId ?? ''}` },
  });
  return Object.keys((await answer.json()) as object).filter((name) => /^Realtime(Heartbeat|Reconcile)/.test(name));
}

const invoke = (FunctionName: string) =>
  new LambdaClient(access()).send(new InvokeCommand({ FunctionName, InvocationType: 'Event', Payload: '{}' }));
