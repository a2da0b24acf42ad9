import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { ListSchedulesCommand, SchedulerClient } from '@aws-sdk/client-scheduler';
import { SendMessageCommand } from '@aws-sdk/client-sqs';
import { synthesiseApp } from '../../bin/start/synthesis';
import { topicName } from '../../contract/terms/channel-addresses';
import { digestShareCode } from '../../data/shares/share-id';
import { Client } from '../api/client';
import { fleetOf, givenJob, givenShare, jobNow } from '../api/given';
import { access, queues } from '../api/stack/aws-access';
import { subscribe, type Mqtt } from '../channels/mqtt-client';
import { publishPlatformEvent } from '../channels/platform-bus';
import { openTelemetry, publish, sampleOf } from '../channels/telemetry-socket';
import { until } from '../channels/until';
import { injectFaults, readStackFile } from './inject-faults';
import { killableStack, type KillableStack } from './killable-stack';
import { statusOf } from './recovery';
import {
  blocksNotRun,
  installCli,
  onCall,
  type OnCall,
  deadLetterQueuesIn,
  hasMessages,
  messagesIn,
  queueNamed,
  startRecordingPlatform,
  type RecordingPlatform,
} from './runbook';

/** Retries that last for minutes in an account. */
const retries = { afterMs: 200, streamsForMs: 1500 };
const SHARE_LASTS_MS = 60_000;
/** Each command is a program of its own, on a machine that may have much else to do. */
const DONE_WITHIN_MS = 600_000;
const RULE = 'recording-platform';

/** Moves all messages back. */
const moveAll = (person: OnCall) => person.run('start-message-move-task');

/** Moves all events back, and hands over the malformed one, which comes back. */
async function moveEvents(person: OnCall): Promise<void> {
  await moveAll(person);
  await holdsOnly('InboundEventsFailures', 1);
  expect(await take(person)).toBe(true);
  expect(person.written('body.json')).toContain('"status":"GONE"');
  await person.run('delete-message');
}

/** Sends the messages again one by one, until none is left. */
async function oneByOne(person: OnCall): Promise<void> {
  while (await take(person)) {
    if (person.written('body.json').includes('DDBStreamBatchInfo')) {
      await person.run('get-records');
      expect(await person.run('lambda invoke')).toContain('{"batchItemFailures":[]}');
    } else await person.run('send-message');
    await person.run('delete-message');
  }
}

/** @returns whether there was a message */
async function take(person: OnCall): Promise<boolean> {
  await person.run('--visibility-timeout 300');
  return person.written('message.json').trim() !== 'null';
}

/** Replays the last minutes. The platform's account is not on this machine, so they go to the rule of the recording platform. */
async function replay(person: OnCall): Promise<void> {
  const secondsFromNow = (seconds: number) => new Date(Date.now() + seconds * 1000).toISOString().slice(0, 19);
  const times = { START: secondsFromNow(-300), END: secondsFromNow(1) };
  expect(await person.run('start-replay', { NAME: 'again-1', ...times, RULE })).toContain('"State": "');
  await person.run('purge-queue');
}

/** What is done about each dead-letter queue, by the name of its alarm. */
const replays: Readonly<Record<string, (person: OnCall) => Promise<unknown>>> = {
  OutboundEventsFailures: oneByOne,
  InboundEventsFailures: moveEvents,
  FanOutFailures: oneByOne,
  TelemetryFailures: moveAll,
  ShareExpiryFailures: oneByOne,
  ForwardingFailures: replay,
};
const alarms = Object.keys(replays);

let assembly: string;
let python: string;
let stack: KillableStack;
let faultsFolder: string;
let partner: Client;
let platform: RecordingPlatform;

beforeAll(async () => {
  python = await installCli();
  // The most dead-letter queues that the app can have.
  const context = { platformTargetArn: 'arn:aws:sqs:eu-central-1:111122223333:platform' };
  assembly = await synthesiseApp('forwarding', context, new AbortController().signal);
  faultsFolder = mkdtempSync(join(tmpdir(), 'replay-'));
  const faultsFile = join(faultsFolder, 'faults.json');
  writeFileSync(faultsFile, '{}');
  stack = await killableStack(['--app', assembly, '--faults', faultsFile]);
  await stack.start();
  Object.assign(process.env, { STACK_FILE: stack.stackFile, FAULTS_FILE: faultsFile });
  const [credentials] = readStackFile();
  if (!credentials) throw new Error('the stack has a partner');
  partner = new Client(credentials);
  platform = await startRecordingPlatform(RULE);
});
afterAll(async () => {
  await platform.stop();
  await stack.remove();
  rmSync(faultsFolder, { recursive: true });
});

const job = (name: string, more = {}) => givenJob(partner, { name, ...more });
const ofJob = (jobId: string) => ({ path: { jobId } });
const reportQueued = (jobId: string) =>
  publishPlatformEvent('job.status.reported', { jobId, status: 'QUEUED', at: new Date().toISOString() }, new Date());

/** Waits until a dead-letter queue has so many messages. */
async function holds(alarm: string, count: number): Promise<void> {
  const url = await queueNamed(alarm);
  await until(`${count} messages in ${alarm}`, () => hasMessages(url, count), undefined, DONE_WITHIN_MS);
}

/** Waits until a dead-letter queue has no more than so many messages, some of which may come back a moment later. */
async function holdsOnly(alarm: string, count: number): Promise<void> {
  const url = await queueNamed(alarm);
  const isSettled = async () => {
    if ((await messagesIn(url)) !== count) return undefined;
    await pause(1000);
    return (await messagesIn(url)) === count ? true : undefined;
  };
  await until(`only ${count} messages in ${alarm}`, isSettled, undefined, DONE_WITHIN_MS);
}

const messagesNow = async () =>
  Object.fromEntries(
    await Promise.all(alarms.map(async (alarm) => [alarm, await messagesIn(await queueNamed(alarm))] as const)),
  );

/** What there is before anything fails. */
async function givenWork() {
  const ending = await givenShare(partner, { expiresIn: SHARE_LASTS_MS / 1000 });
  const endsAt = Date.now() + SHARE_LASTS_MS;
  const tomorrow = new Date(Date.now() + 86_400_000).toISOString();
  const cancelled = await job('cancelled', { scheduledAt: tomorrow });
  const jobs = {
    reported: await job('reported'),
    reportedLater: await job('reported later'),
    renamed: await job('old name'),
    cancelled,
  };
  const shares = { ending, revoked: await givenShare(partner), watched: await givenShare(partner) };
  const mqtt = await subscribe(partner, topicName({ kind: 'job', id: cancelled.jobId }));
  await mqtt.first(1);
  const all = Object.values(jobs).map(({ jobId }) => jobId);
  await until('all jobs at the platform', () => (all.every((id) => platform.jobs.has(id)) ? true : undefined));
  return { jobs, shares, endsAt, mqtt };
}
type Work = Awaited<ReturnType<typeof givenWork>>;

/** The platform can't be reached. @returns a job that it has missed */
async function withoutPlatform() {
  await platform.connect(false);
  const forwarded = await job('forwarded');
  await holds('ForwardingFailures', Object.keys(replays).length);
  await pause(500);
  await platform.connect(true);
  expect(platform.jobs.has(forwarded.jobId)).toBe(false);
  return forwarded;
}

/** EventBridge, Scheduler and AWS IoT fail while partners go on working. */
async function withoutEvents({ jobs, shares }: Work) {
  injectFaults({ retries, events: { down: true }, scheduler: { down: true }, iot: { failing: 1 } });
  const [created, deleted] = [await job('created'), await job('deleted')];
  await partner.call('PATCH /v3/jobs/{jobId}', { ...ofJob(jobs.renamed.jobId), body: { name: 'new name' } });
  await partner.call('DELETE /v3/jobs/{jobId}', ofJob(deleted.jobId));
  await partner.call('POST /v3/jobs/{jobId}/cancel', ofJob(jobs.cancelled.jobId));
  const scheduled = await givenShare(partner);
  await partner.call('DELETE /v3/shares/{shareCode}', { path: { shareCode: shares.revoked.shareCode } });
  // As the fan-out asks for it when it can't retain a state at once.
  const MessageBody = JSON.stringify({ kind: 'job', id: jobs.cancelled.jobId });
  await queues().send(new SendMessageCommand({ QueueUrl: await queueNamed('FanOutRetention'), MessageBody }));
  await holds('OutboundEventsFailures', 3);
  await holds('ShareExpiryFailures', 2);
  await holds('FanOutFailures', 3);
  // What else is in the streams fails by then.
  await pause(2 * retries.streamsForMs);
  return { created, deleted, scheduled };
}

/** DynamoDB is down, for a moment with SQS, while the platform reports. */
async function withoutDatabase({ jobs, endsAt }: Work): Promise<void> {
  const device = await openTelemetry(partner);
  const { deviceId } = fleetOf(partner);
  await publish(device, sampleOf(deviceId, { battery: { percent: 81 } }));
  // The last one comes too early to be stored.
  await publish(device, sampleOf(deviceId, { battery: { percent: 80 } }));
  injectFaults({ retries, dynamodb: { down: true }, sqs: { down: true } });
  await reportQueued(jobs.reported.jobId);
  await holds('InboundEventsFailures', 1);
  injectFaults({ retries, dynamodb: { down: true } });
  await publishPlatformEvent('job.status.reported', { jobId: 'none', status: 'GONE' }, new Date());
  await reportQueued(jobs.reportedLater.jobId);
  await holds('InboundEventsFailures', 3);
  await holds('TelemetryFailures', 2);
  const before = await messagesIn(await queueNamed('ShareExpiryFailures'));
  await pause(endsAt - Date.now());
  await holds('ShareExpiryFailures', before + 1);
}

const isCompleted = async (jobId: string) => {
  if ((await jobNow(partner, jobId)).status === 'COMPLETED') return true;
  await pause(300);
  return undefined;
};
const flown = (jobId: string) => until(`the flight of ${jobId}`, () => isCompleted(jobId), undefined, DONE_WITHIN_MS);

/** How often the timeline of a job says that it took off. */
async function takeOffsIn(jobId: string): Promise<number> {
  const { body } = await partner.call('GET /v3/jobs/{jobId}/events', ofJob(jobId));
  return body.events.filter(({ jobState }) => jobState === 'IN_PROGRESS').length;
}

async function expectRetained(mqttTopic: string, jobState: string): Promise<void> {
  const later: Mqtt = await subscribe(partner, mqttTopic);
  expect(await later.first(1)).toMatchObject([{ jobState }]);
}

test('each dead-letter queue that the app can have is replayed here', () => {
  expect(deadLetterQueuesIn(assembly).sort()).toEqual(alarms.toSorted());
});

test(
  'the runbook empties each dead-letter queue, nothing is lost, and no job is flown twice',
  async () => {
    const work = await givenWork();
    const forwarded = await withoutPlatform();
    const { created, deleted, scheduled } = await withoutEvents(work);
    await withoutDatabase(work);
    expect(Object.entries(await messagesNow()).filter(([, count]) => count === 0)).toEqual([]);

    injectFaults({});
    const { jobs, shares, mqtt } = work;
    // As in life, what can be flown is not held up by what is missing.
    platform.clearForTakeOff();
    await flown(jobs.renamed.jobId);
    expect(platform.jobs.get(jobs.renamed.jobId)).toMatchObject({ detail: { name: 'old name' } });
    expect(mqtt.messages).not.toContainEqual(expect.objectContaining({ jobState: 'CANCELLED' }));

    const handle = async (alarm: string) => {
      const person = onCall(alarm, python);
      await person.run('--visibility-timeout 0');
      await replays[alarm]?.(person);
      person.end();
    };
    await Promise.all(alarms.filter((alarm) => alarm !== 'ForwardingFailures').map(handle));
    // Last, since on this machine each new event is one that could not be forwarded.
    const toBeFlown = [jobs.reported, jobs.reportedLater, jobs.renamed, created, forwarded].map(({ jobId }) => jobId);
    for (const jobId of toBeFlown.slice(0, -1)) await flown(jobId);
    await handle('ForwardingFailures');
    expect(blocksNotRun()).toEqual([]);

    for (const jobId of toBeFlown) await flown(jobId);
    expect(Object.fromEntries(platform.takeOffs)).toEqual(Object.fromEntries(toBeFlown.map((jobId) => [jobId, 1])));
    expect(await Promise.all(toBeFlown.map(takeOffsIn))).toEqual(toBeFlown.map(() => 1));
    expect(platform.repeats()).toBeGreaterThan(0);

    expect(await jobNow(partner, jobs.renamed.jobId)).toMatchObject({ name: 'new name' });
    expect(platform.jobs.get(jobs.renamed.jobId)).toMatchObject({ detail: { name: 'new name', status: 'COMPLETED' } });
    expect(platform.jobs.get(jobs.cancelled.jobId)).toMatchObject({ detail: { status: 'CANCELLED' } });
    expect(platform.jobs.get(deleted.jobId)?.['detail-type']).toBe('job.deleted');
    await mqtt.like({ jobId: jobs.cancelled.jobId, jobState: 'CANCELLED' });
    await expectRetained(topicName({ kind: 'job', id: jobs.cancelled.jobId }), 'CANCELLED');

    const heardOf = (shareCode: string) => platform.typesOf(digestShareCode(shareCode)).toSorted();
    await until('the end of the share', () => (heardOf(shares.ending.shareCode).length === 2 ? true : undefined));
    expect(heardOf(shares.ending.shareCode)).toEqual(['share.created', 'share.ended']);
    expect(heardOf(shares.revoked.shareCode)).toEqual(['share.created', 'share.ended']);
    expect(heardOf(scheduled.shareCode)).toEqual(['share.created']);
    // Of the two shares that last for an hour.
    const { Schedules } = await new SchedulerClient(access()).send(new ListSchedulesCommand());
    expect(Schedules?.filter(({ Name }) => Name?.startsWith('share-'))).toHaveLength(2);

    const { deviceId } = fleetOf(partner);
    await until('a silent device offline', async () =>
      (await statusOf(partner, deviceId)) === 'offline' ? true : undefined,
    );
    const ofWatched = { path: { shareCode: shares.watched.shareCode } };
    const { body } = await partner.call('GET /v3/shares/{shareCode}/resources', ofWatched);
    expect(body.resources).toMatchObject([{ deviceId, lastState: { battery: { percent: 80 } } }]);

    await until('empty queues', async () =>
      Object.values(await messagesNow()).every((count) => count === 0) ? true : undefined,
    );
  },
  DONE_WITHIN_MS,
);
