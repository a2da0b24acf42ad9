import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { connectAsync, type MqttClient } from 'mqtt';
import { WebSocket } from 'ws';
import type { CallCounts } from 'cloud-assembly-runner';
import { broadcastProtocol, BROADCAST_PATH, shareProtocols } from '../../contract/shares/viewer-protocol';
import { TELEMETRY_PATH } from '../../contract/websocket-actions';
import { median, percentile, type Measurement } from './support/figure';
import { startLocalStack, type LocalStack } from './support/local-stack';
import { onboardClients, type ChannelClient } from './support/many-clients';
import { viewerRush } from './support/viewer-rush';

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
