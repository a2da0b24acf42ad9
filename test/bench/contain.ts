import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { connect } from 'mqtt';
import { WebSocket } from 'ws';
import { channels } from '../../contract/channels/status-channels';
import { topicName } from '../../contract/terms/channel-addresses';
import { TELEMETRY_PATH } from '../../contract/websocket-actions';
import { median, type Measured, type Measurement } from './support/figure';
import { initialEnvironment, startLocalStack, type LocalStack } from './support/local-stack';
import { onboardClients, type ChannelClient } from './support/many-clients';

const root = join(__dirname, '../..');
const run = promisify(execFile);

const ROUNDS = 5;
const POLL_EVERY_MS = 50;
const TIMEOUT_MS = 90_000;

/** How soon each way must have ended, in ms after the command was entered. */
const limits = {
  REST: 10_000,
  'WSS, a channel': 10_000,
  'WSS, telemetry': 10_000,
  'a viewer of its share': 10_000,
  MQTTS: 60_000,
  'the command': 60_000,
} as const;

type Way = keyof typeof limits;

/** Something that is open. */
interface Open {
  /** When it was closed: ms, by `performance.now()`. */
  readonly closed: Promise<number>;
}

/** The time of the next event of this name. */
const next = (emitter: { once(event: never, listener: () => void): unknown }, event: string): Promise<number> =>
  new Promise((resolve) => emitter.once(event as never, () => resolve(performance.now())));

async function openSocket(url: string, token?: string): Promise<Open> {
  const socket = new WebSocket(url, token === undefined ? {} : { headers: { authorization: `Bearer ${token}` } });
  socket.on('error', () => undefined);
  const closed = next(socket, 'close');
  await next(socket, 'open');
  return { closed };
}

async function subscribe({ facts }: LocalStack, { clientId, token }: ChannelClient, jobId: string): Promise<Open> {
  const client = connect(facts.mqttUrl ?? '', {
    username: clientId,
    password: token,
    clientId: `${clientId}-1`,
    ca: readFileSync(facts.caFile),
    protocolVersion: 4,
    reconnectPeriod: 0,
  });
  client.on('error', () => undefined);
  const closed = next(client, 'close');
  await next(client, 'connect');
  await client.subscribeAsync(topicName({ kind: 'job', id: jobId }), { qos: 1 });
  return { closed };
}

/** Calls the API until it refuses. @returns when it did */
async function untilRefused(baseUrl: string, token: string): Promise<number> {
  const deadline = performance.now() + TIMEOUT_MS;
  while (performance.now() < deadline) {
    const { status } = await fetch(`${baseUrl}/v3/jobs`, { headers: { authorization: `Bearer ${token}` } });
    if ([401, 403].includes(status)) return performance.now();
    await pause(POLL_EVERY_MS);
  }
  return Infinity;
}

const orNever = ({ closed }: Open): Promise<number> =>
  Promise.race([closed, pause(TIMEOUT_MS, Infinity, { ref: false })]);

/** Contains a client that has something open in every way. @returns ms from entering the command, by way */
async function containOne(stack: LocalStack, client: ChannelClient): Promise<Record<Way, number>> {
  const { baseUrl, wsUrl } = stack.facts;
  const { token, deviceGroupId, deviceId, clientId } = client;
  const { jobId } = await client.api.jobs.create({ name: 'Survey', deviceGroupId });
  const { shareCode } = await client.api.shares.create({ resourceId: deviceId, shareType: 'DEVICE_STATUS' });
  const channel = await openSocket(`${wsUrl}${channels.job.path.replace('{id}', jobId)}`, token);
  const telemetry = await openSocket(`${wsUrl}${TELEMETRY_PATH}`, token);
  const viewer = await openSocket(`${wsUrl}${TELEMETRY_PATH}?shareCode=${shareCode}`);
  const mqtt = await subscribe(stack, client, jobId);
  // The authorizer's answer is in API Gateway's cache then.
  await client.api.jobs.get(jobId);
  const begin = performance.now();
  const words = ['--import', 'tsx', 'bin/partner.ts', 'contain', clientId, '--json', '--local'];
  const env = { ...initialEnvironment, LOCAL_DIR: stack.dataFolder };
  const command = run(process.execPath, words, { cwd: root, env }).then(() => performance.now());
  const at: Record<Way, Promise<number>> = {
    REST: untilRefused(baseUrl, token),
    'WSS, a channel': orNever(channel),
    'WSS, telemetry': orNever(telemetry),
    'a viewer of its share': orNever(viewer),
    MQTTS: orNever(mqtt),
    'the command': command,
  };
  const ways = Object.keys(at) as Way[];
  const ended = await Promise.all(ways.map(async (way) => [way, (await at[way]) - begin] as const));
  return Object.fromEntries(ended) as Record<Way, number>;
}

const seconds = (ms: number) => (ms / 1000).toFixed(1);

/** How long access lasts in each way when an operator contains a client, from entering the command. */
export const contain: Measurement = async () => {
  const folder = await mkdtemp(join(tmpdir(), 'contain-'));
  const stack = await startLocalStack(root, folder);
  try {
    const clients = await onboardClients(folder, stack.facts.baseUrl, ROUNDS);
    const rounds: Record<Way, number>[] = [];
    for (const client of clients) rounds.push(await containOne(stack, client));
    return (Object.keys(limits) as Way[]).map((way): Measured => {
      const times = rounds.map((round) => round[way]);
      const longest = Math.max(...times);
      return {
        figure: `contain: end of ${way}, ${ROUNDS} clients`,
        measured: `median ${seconds(median(times))} s, longest ${seconds(longest)} s`,
        mustBe: `at most ${limits[way] / 1000} s`,
        ok: longest <= limits[way],
      };
    });
  } finally {
    await stack.stop();
    await rm(folder, { recursive: true });
  }
};
