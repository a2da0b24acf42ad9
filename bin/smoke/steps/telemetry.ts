import { randomUUID } from 'node:crypto';
import * as z from 'zod';
import { TELEMETRY_PATH } from '../../../contract/websocket-actions';
import type { Message } from '../inbox';
import type { Step, Connection, SmokeContext } from '../smoke-context';
import { Unexpected } from '../errors';

/** A sample not later than the device's last one is dropped; a fleet may be reporting too. */
const TRIES = 5;

const REPORT_EVERY_MS = 500;

/** Sends a message and returns the answer with the same id. @throws Unexpected without one */
async function request({ inbox, socket }: Connection, context: SmokeContext, message: object): Promise<Message> {
  const id = randomUUID();
  socket.send({ ...message, id });
  return context.receive(inbox, 'an answer', (message) => message['id'] === id);
}

async function subscribe(context: SmokeContext): Promise<undefined> {
  const { observedId } = context.get('fleet');
  const connection = await context.openWebSocket(TELEMETRY_PATH, context.get('token'));
  const answer = await request(connection, context, { action: 'subscribe', deviceId: observedId });
  context.set('telemetry', connection);
  if (answer['type'] !== 'subscribed') throw new Unexpected('subscribed', JSON.stringify(answer));
}

const published = z.looseObject({ type: z.literal('published'), accepted: z.int() });

/**
 * Publishes a sample that is later than all before.
 * @param sent receives its timestamp, ISO 8601, before it is sent: subscribers may get it before the publisher's answer
 * @throws Unexpected when it is not accepted
 */
async function publishSample(context: SmokeContext, sent: string[]): Promise<void> {
  const { observedId: deviceId } = context.get('fleet');
  const connection = context.get('telemetry');
  for (let tries = 0; tries < TRIES; tries++) {
    const timestamp = new Date(Math.max(Date.now(), lastTimestamp(connection) + 1)).toISOString();
    const telemetry = { deviceId, timestamp, simulated: true };
    sent.push(timestamp);
    const answer = await request(connection, context, { action: 'publish', telemetry });
    const read = published.safeParse(answer);
    if (!read.success) throw new Unexpected('published', JSON.stringify(answer));
    if (read.data.accepted === 1) return;
  }
  throw new Unexpected('a sample that is taken', `none of ${TRIES}: other publishers of this device have later clocks`);
}

async function publish(context: SmokeContext): Promise<undefined> {
  const sent: string[] = [];
  await publishSample(context, sent);
  context.set('sample', sent.at(-1) ?? '');
}

/** Timestamp of the latest sample received, in Unix ms; 0 before the first. */
const lastTimestamp = ({ inbox }: Connection): number =>
  Math.max(0, ...inbox.messages.map(({ timestamp }) => Date.parse(String(timestamp))).filter(Number.isFinite));

/** Whether a message is one of these samples of a device, by timestamp. */
const isSampleOf =
  (device: string, samples: readonly string[]) =>
  ({ type, deviceId, timestamp }: Message) =>
    type === 'device.telemetry' && deviceId === device && samples.includes(String(timestamp));

/**
 * Waits for one of these samples, or of those that it keeps publishing: a sample may not reach a viewer whose
 * connection is not fully set up, and may be older than the snapshot that a subscriber gets after it, when a fleet
 * reports too.
 * @param samples timestamps
 */
async function receiveSample(context: SmokeContext, { inbox }: Connection, samples: string[]): Promise<undefined> {
  const { observedId } = context.get('fleet');
  const reporting = setInterval(() => void publishSample(context, samples).catch(() => undefined), REPORT_EVERY_MS);
  try {
    await context.receive(inbox, 'a published sample', isSampleOf(observedId, samples));
  } finally {
    clearInterval(reporting);
  }
}

const receive = (context: SmokeContext) => receiveSample(context, context.get('telemetry'), [context.get('sample')]);

async function viewerReceives(context: SmokeContext): Promise<undefined> {
  const samples: string[] = [];
  await publishSample(context, samples);
  return receiveSample(context, context.get('viewer'), samples);
}

export const telemetrySteps: readonly Step[] = [
  { name: 'subscribe to telemetry', part: 'wss', run: subscribe },
  { name: 'publish telemetry', part: 'wss', run: publish },
  { name: 'receive telemetry', part: 'wss', run: receive },
];

export const viewerTelemetry: Step = { name: 'telemetry reaches the viewer', part: 'wss', run: viewerReceives };
