import { randomUUID } from 'node:crypto';
import * as z from 'zod';
import { TELEMETRY_PATH } from '../../../contract/telemetry';
import type { Message } from '../inbox';
import type { Step } from '../step';
import type { Listener, Story } from '../story';
import { Unexpected } from '../unexpected';

/** A sample that is no later than the last one of its device is taken by nobody; a fleet may be reporting too. */
const TRIES = 5;

const REPORT_EVERY_MS = 500;

/** Sends a message and gives its answer, which bears the same id. @throws Unexpected when none comes */
async function request({ inbox, socket }: Listener, story: Story, message: object): Promise<Message> {
  const id = randomUUID();
  socket.send({ ...message, id });
  return story.hear(inbox, 'an answer', (heard) => heard['id'] === id);
}

async function subscribe(story: Story): Promise<undefined> {
  const { observedId } = story.take('fleet');
  const listener = await story.listen(TELEMETRY_PATH, story.take('token'));
  const answer = await request(listener, story, { action: 'subscribe', deviceId: observedId });
  story.give('telemetry', listener);
  if (answer['type'] !== 'subscribed') throw new Unexpected('subscribed', JSON.stringify(answer));
}

const published = z.looseObject({ type: z.literal('published'), accepted: z.int() });

/**
 * Publishes a sample that is news.
 * @param sent takes its moment, ISO 8601, before it is sent: others may hear of it before its publisher has the answer
 * @throws Unexpected when it is not taken
 */
async function publishSample(story: Story, sent: string[]): Promise<void> {
  const { observedId: deviceId } = story.take('fleet');
  const listener = story.take('telemetry');
  for (let tries = 0; tries < TRIES; tries++) {
    const timestamp = new Date(Math.max(Date.now(), lastMoment(listener) + 1)).toISOString();
    const telemetry = { deviceId, timestamp, simulated: true };
    sent.push(timestamp);
    const answer = await request(listener, story, { action: 'publish', telemetry });
    const read = published.safeParse(answer);
    if (!read.success) throw new Unexpected('published', JSON.stringify(answer));
    if (read.data.accepted === 1) return;
  }
  throw new Unexpected('a sample that is taken', `none of ${TRIES}: others report of this device, with later clocks`);
}

async function publish(story: Story): Promise<undefined> {
  const sent: string[] = [];
  await publishSample(story, sent);
  story.give('sample', sent.at(-1) ?? '');
}

/** Of the latest sample heard, in Unix ms; 0 before the first. */
const lastMoment = ({ inbox }: Listener): number =>
  Math.max(0, ...inbox.messages.map(({ timestamp }) => Date.parse(String(timestamp))).filter(Number.isFinite));

/** Whether a message tells of one of these samples of a device, by their moments. */
const tellsOf =
  (device: string, samples: readonly string[]) =>
  ({ type, deviceId, timestamp }: Message) =>
    type === 'device.telemetry' && deviceId === device && samples.includes(String(timestamp));

async function receive(story: Story): Promise<undefined> {
  const sample = story.take('sample');
  const fits = tellsOf(story.take('fleet').observedId, [sample]);
  await story.hear(story.take('telemetry').inbox, `the sample of ${sample}`, fits);
}

/** A device keeps reporting: what it says before the viewer has been greeted to the end, the viewer need not hear. */
async function reachViewer(story: Story): Promise<undefined> {
  const { observedId } = story.take('fleet');
  const { inbox } = story.take('viewer');
  const samples: string[] = [];
  await publishSample(story, samples);
  const reporting = setInterval(() => void publishSample(story, samples).catch(() => undefined), REPORT_EVERY_MS);
  try {
    await story.hear(inbox, 'a published sample', tellsOf(observedId, samples));
  } finally {
    clearInterval(reporting);
  }
}

export const telemetrySteps: readonly Step[] = [
  { name: 'subscribe to telemetry', part: 'wss', run: subscribe },
  { name: 'publish telemetry', part: 'wss', run: publish },
  { name: 'receive telemetry', part: 'wss', run: receive },
];

export const viewerTelemetry: Step = { name: 'telemetry reaches the viewer', part: 'wss', run: reachViewer };
