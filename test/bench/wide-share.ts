import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { connectAsync, type MqttClient } from 'mqtt';
import { WebSocket } from 'ws';
import type { CallCounts } from 'cloud-assembly-runner';
import { BROADCAST_PATH, broadcastProtocol, shareProtocols } from '../../contract/shares/viewer-protocol';
import { TELEMETRY_PATH } from '../../contract/websocket-actions';
import { median, percentile, type Measured, type Measurement } from './support/figure';
import { startLocalStack, type LocalStack } from './support/local-stack';
import { onboardClients, type ChannelClient } from './support/many-clients';

const FEW = 10;
const MANY = 1000;
const SAMPLES = 30;
/** A share lets in 60 viewers a minute and one per place. */
const AT_ONCE = 10;
/** Viewers that connect cause calls for a while: numbers of viewers, and messages over sockets of new viewers. */
const SETTLING_MS = 35_000;
/** The heartbeat of the sockets is no part of the samples' cost. */
const HEARTBEAT = /Heartbeat/;

interface Viewer {
  readonly socket: WebSocket;
  readonly mqtt: MqttClient;
}

interface FirstMessage {
  readonly broadcast?: { readonly clientId: string; readonly username: string; readonly topic: string };
}

/** Watches a share as its page does; `onSample` gets how long each sample took, in ms. */
async function watch(wsUrl: string, shareCode: string, onSample: (tookMs: number) => void): Promise<Viewer> {
  const protocols = [...Object.values(shareProtocols), broadcastProtocol];
  const socket = new WebSocket(`${wsUrl}${TELEMETRY_PATH}?shareCode=${shareCode}`, protocols);
  const first = await new Promise<FirstMessage>((resolve, reject) => {
    socket.once('message', (data: Buffer) => resolve(JSON.parse(data.toString()) as FirstMessage));
    socket.once('error', reject);
  });
  if (!first.broadcast) throw new Error('the share has no topic');
  const { topic, ...credentials } = first.broadcast;
  const options = { ...credentials, password: shareCode, protocolVersion: 4 } as const;
  const mqtt = await connectAsync(`${wsUrl}${BROADCAST_PATH}`, options);
  mqtt.on('message', (_topic, payload) => {
    const { type, timestamp } = JSON.parse(payload.toString()) as { type: string; timestamp: string };
    if (type === 'device.telemetry') onSample(Date.now() - Date.parse(timestamp));
  });
  await mqtt.subscribeAsync(topic);
  return { socket, mqtt };
}

async function callsOf({ access }: LocalStack): Promise<number> {
  const headers = { authorization: `Bearer ${access.accessKeyId}` };
  const counts = (await (await fetch(`${access.endpointUrl}/_calls`, { headers })).json()) as CallCounts;
  return Object.entries(counts)
    .filter(([caller]) => !HEARTBEAT.test(caller))
    .flatMap(([, calls]) => Object.values(calls))
    .reduce((sum, count) => sum + count, 0);
}

/** Shares a device, lets viewers in, and publishes at 1 Hz. @returns calls of all functions, and the latency of each sample */
async function flight(stack: LocalStack, client: ChannelClient, deviceId: string, viewers: number) {
  const wsUrl = stack.facts.wsUrl ?? '';
  const share = await client.api.shares.create({ resourceId: deviceId, shareType: 'DEVICE_STATUS', maxViewers: MANY });
  const took: number[] = [];
  const open: Viewer[] = [];
  for (let count = 0; count < viewers; count += AT_ONCE) {
    const some = Array.from({ length: Math.min(AT_ONCE, viewers - count) }, () =>
      watch(wsUrl, share.shareCode, (tookMs) => took.push(tookMs)),
    );
    open.push(...(await Promise.all(some)));
  }
  await pause(SETTLING_MS);
  const publisher = new WebSocket(wsUrl + TELEMETRY_PATH, { headers: { authorization: `Bearer ${client.token}` } });
  await new Promise((resolve, reject) => publisher.once('open', resolve).once('error', reject));
  const before = await callsOf(stack);
  for (let sample = 0; sample < SAMPLES; sample++) {
    const telemetry = { deviceId, timestamp: new Date().toISOString(), battery: { percent: 80 } };
    publisher.send(JSON.stringify({ action: 'publish', telemetry }));
    await pause(1000);
  }
  const calls = (await callsOf(stack)) - before;
  publisher.terminate();
  for (const { socket, mqtt } of open) {
    mqtt.end(true);
    socket.terminate();
  }
  return { calls, took };
}

/** A share to which 1,000 viewers come at once; and shares with 10 and with 1,000 viewers, at one sample a second. */
export const wideShare: Measurement = async () => {
  const folder = await mkdtemp(join(tmpdir(), 'wide-share-'));
  const stack = await startLocalStack(join(__dirname, '../..'), folder, ['--memory', '--quotas']);
  try {
    const [client] = await onboardClients(folder, stack.facts.baseUrl, 1, 3);
    const [one = '', other = '', third = ''] = client?.deviceIds ?? [];
    if (!client) throw new Error('no client was onboarded');
    const rush = await viewerRush(stack, client, third);
    const few = await flight(stack, client, one, FEW);
    const many = await flight(stack, client, other, MANY);
    return [
      ...rush,
      {
        figure: `calls for ${SAMPLES} samples at 1 Hz of a share with ${MANY} viewers, and with ${FEW}`,
        measured: `${many.calls}, and ${few.calls}`,
        mustBe: `at most 3 times as many`,
        ok: many.calls <= 3 * few.calls,
      },
      {
        figure: `sample → ${MANY} viewers over MQTT, ${many.took.length} of ${SAMPLES * MANY}`,
        measured: `median ${median(many.took).toFixed(0)} ms, p95 ${percentile(many.took, 95).toFixed(0)} ms`,
        mustBe: 'all, p95 under 1000 ms',
        ok: many.took.length === SAMPLES * MANY && percentile(many.took, 95) < 1000,
      },
    ];
  } finally {
    await stack.stop();
    await rm(folder, { recursive: true });
  }
};

/** Handshakes that are open at the same time. */
const RUSH_AT_ONCE = 100;
const MAX_IN_S = 10;
const MAX_OUT_S = 5;
const MAX_SEAT_UNITS = 4;
/** DynamoDB developer guide, "Best practices for designing and using partition keys effectively". */
const PARTITION_UNITS = 1000;
/** A socket that nobody has closed by then stays open. */
const OUT_LIMIT_MS = 60_000;
/** Until the functions of closed sockets have run. */
const CLOSING_MS = 10_000;

/** What a partition key was charged with, as the stack tells it. */
interface PartitionUse {
  readonly table: string;
  readonly partitionKey: string;
  readonly writeUnits: number;
  readonly throttled: number;
}

async function partitionsOf({ access }: LocalStack): Promise<readonly PartitionUse[]> {
  const headers = { authorization: `Bearer ${access.accessKeyId}` };
  const response = await fetch(`${access.endpointUrl}/_statistics/dynamodb`, { headers });
  return (await response.json()) as PartitionUse[];
}

const total = (uses: readonly PartitionUse[]) => uses.reduce((sum, { writeUnits }) => sum + writeUnits, 0);
const seatsIn = (uses: readonly PartitionUse[]) =>
  total(uses.filter(({ table, partitionKey }) => table.includes('Connections') && partitionKey.includes('"seats#')));

/** The partition key that most was written to between two looks, and how long DynamoDB takes for that at least. */
function hottest(before: readonly PartitionUse[], after: readonly PartitionUse[]) {
  const known = new Map(before.map(({ table, partitionKey, writeUnits }) => [table + partitionKey, writeUnits]));
  const grown = after.map((use) => ({
    ...use,
    units: use.writeUnits - (known.get(use.table + use.partitionKey) ?? 0),
  }));
  const [first] = grown.toSorted((one, other) => other.units - one.units);
  const name = /"S":"([a-z]+)#/.exec(first?.partitionKey ?? '')?.[1] ?? first?.table ?? '';
  const seconds = (first?.units ?? 0) / PARTITION_UNITS;
  return { seconds, text: `${seconds.toFixed(1)} s for ${Math.round(first?.units ?? 0)} units of ${name}` };
}

/** Opens a viewer's socket. @returns its socket, or the status that refused it */
function enter(wsUrl: string, shareCode: string): Promise<WebSocket | number> {
  const protocols = [...Object.values(shareProtocols), broadcastProtocol];
  const socket = new WebSocket(`${wsUrl}${TELEMETRY_PATH}?shareCode=${shareCode}`, protocols);
  return new Promise((resolve) => {
    socket.once('open', () =>
      resolve(socket.protocol === 'share' || socket.protocol === broadcastProtocol ? socket : 429),
    );
    socket.once('unexpected-response', (_request, response) => resolve(response.statusCode ?? 0));
    socket.once('error', () => resolve(0));
  });
}

/** A thousand viewers come at once, and leave at once when their share is revoked. The stack has AWS's quotas. */
async function viewerRush(stack: LocalStack, client: ChannelClient, deviceId: string): Promise<Measured[]> {
  const wsUrl = stack.facts.wsUrl ?? '';
  const share = await client.api.shares.create({
    resourceId: deviceId,
    shareType: 'DEVICE_STATUS',
    maxViewers: MANY,
  });
  const start = await partitionsOf(stack);
  const begin = performance.now();
  const results: (WebSocket | number)[] = [];
  let left = MANY;
  await Promise.all(
    Array.from({ length: RUSH_AT_ONCE }, async () => {
      while (left-- > 0) results.push(await enter(wsUrl, share.shareCode));
    }),
  );
  const inS = (performance.now() - begin) / 1000;
  await pause(CLOSING_MS);
  const open = results.filter((result) => result instanceof WebSocket);
  const statuses = results.filter((result) => typeof result === 'number');
  const entered = await partitionsOf(stack);
  let out = 0;
  const closed = open.map((socket) => new Promise((resolve) => socket.once('close', resolve)).then(() => (out += 1)));
  const revoke = performance.now();
  const revoked = client.api.shares.revoke(share.shareCode).then(
    () => 'answered',
    (error: unknown) => String(error),
  );
  const answer = revoked.then((how) => `${how} after ${((performance.now() - revoke) / 1000).toFixed(1)} s`);
  await Promise.race([Promise.all(closed), pause(OUT_LIMIT_MS)]);
  const outS = (performance.now() - revoke) / 1000;
  const answered = await answer;
  await pause(CLOSING_MS);
  const gone = await partitionsOf(stack);
  const seatUnits = seatsIn(entered) - seatsIn(start);
  const coming = hottest(start, entered);
  const leaving = hottest(entered, gone);
  const failed = statuses.filter((status) => status >= 500 || status === 0).length;
  return [
    {
      figure: `${MANY} viewers of a share come, ${RUSH_AT_ONCE} handshakes at a time: by the most written partition`,
      measured: `${open.length} in, ${coming.text}; ${inS.toFixed(1)} s with the processors of this machine`,
      mustBe: `all within ${MAX_IN_S} s`,
      ok: open.length === MANY && coming.seconds <= MAX_IN_S,
    },
    {
      figure: 'handshakes that end in 5xx',
      measured: `${failed} of ${MANY}`,
      mustBe: 'none',
      ok: failed === 0,
    },
    {
      figure: 'write units of a handshake for the seat',
      measured: (seatUnits / MANY).toFixed(2),
      mustBe: `at most ${MAX_SEAT_UNITS}`,
      ok: seatUnits / MANY <= MAX_SEAT_UNITS,
    },
    {
      figure: `revoke → ${open.length} viewers are out: by the most written partition`,
      measured: `${out} out, ${leaving.text}; ${outS.toFixed(1)} s with the processors of this machine; ${answered}`,
      mustBe: `within ${MAX_OUT_S} s`,
      ok: out === MANY && leaving.seconds <= MAX_OUT_S && answered.startsWith('answered'),
    },
    {
      figure: 'write units for seats after the revoke',
      measured: String(Math.round(seatsIn(gone) - seatsIn(entered))),
      mustBe: 'at most 50',
      ok: seatsIn(gone) - seatsIn(entered) <= 50,
    },
  ];
}
