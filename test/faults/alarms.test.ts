import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { ListQueuesCommand, PurgeQueueCommand, SendMessageCommand } from '@aws-sdk/client-sqs';
import { PutCommand } from '@aws-sdk/lib-dynamodb';
import type { FaultsFile } from 'cloud-assembly-runner';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { clients } from '../api/client';
import { fleetOf, givenJob, givenShare, nobodys } from '../api/given';
import { database, queues, tableNamed, access } from '../api/stack/aws-access';
import { publishPlatformEvent } from '../channels/platform-bus';
import { tryToWatch } from '../channels/telemetry-socket';
import { until } from '../channels/until';
import { injectFaults } from './inject-faults';
import { ALARM_PERIOD_MS } from './stack/start';
import { startSteadyLoad, type SteadyLoad } from './steady-load';
import { expectLocalFolder } from '../api/stack/facts';

/** An hour of the day, in seconds: a fault, and which alarms ring until some time after its end. */
interface Hour {
  readonly name: string;
  readonly faults?: FaultsFile;
  /** What happens besides the steady load. */
  act?(): Promise<unknown>;
  /** What somebody does about it. */
  mend?(): Promise<unknown>;
  readonly page?: readonly string[];
  readonly ticket?: readonly string[];
  /** What rings depending on chance, each with the reason. */
  readonly perhaps?: readonly string[];
  /** What is held up and may still ring after its end, in periods: the hour ends after so many without a change. */
  readonly quietPeriods?: number;
}

const [first, ...others] = clients('alarm-day');
let load: SteadyLoad | undefined;

/** Alarms that can't ring here, each with the reason. */
const silent: Readonly<Record<string, string>> = {
  ForwardingFailures: 'there is no other account on this machine; the template has it with platformTargetArn only',
};

/** How long the alarms of an hour may take to ring. */
const RINGS_WITHIN_MS = 20_000;

/** What is held up for this long counts as late, with the retry of a killed invocation after a minute. */
const HELD_MS = 61_500;

const day: readonly Hour[] = [
  { name: 'nothing happens' },
  {
    name: 'share codes are guessed',
    act: guessShareCodes,
    ticket: ['ShareCodesRefused'],
  },
  {
    name: 'changes and reports are held up for a minute',
    faults: { streams: { lateMs: HELD_MS }, functions: { killed: { name: 'PlatformIntegrationInbound', share: 1 } } },
    async act() {
      const held = pause(HELD_MS);
      await Promise.all([givenJob(first), givenShare(first), ...reports(20)]);
      // Far enough apart that the retries are in two periods, wherever these begin.
      await pause(1.5 * ALARM_PERIOD_MS);
      await Promise.all(reports(20));
      // What arrives now is held no longer.
      injectFaults({});
      await held;
    },
    // What the faults of the next hours make fail would be tried again a minute later, in another hour.
    mend: () => reportsAre(false),
    page: ['ConsumePlatformEventsLate', 'PublishPlatformEventsLate', 'StatusFanOutLate'],
    ticket: ['OnShareChangeLate'],
    quietPeriods: 3,
  },
  {
    name: 'Cognito is down',
    faults: { cognito: { down: true } },
    page: ['Failures', 'NoTokens'],
    // Instances that begin meanwhile can't fetch the keys that verify tokens.
    perhaps: ['MqttErrors', 'SocketsErrors'],
  },
  { name: 'API Gateway throttles all calls', faults: { restApi: { throttled: 1 } } },
  {
    name: 'the platform reports nonsense',
    act: () => publishPlatformEvent('job.status.reported', { jobId: 7 }, new Date()),
    mend: () => purge('InboundEventsFailures'),
    page: ['InboundEventsFailures'],
  },
  {
    name: 'a device check is given up, which takes five receives, a minute apart',
    act: () => sendTo('TelemetryFailures', '{}'),
    mend: () => purge('TelemetryFailures'),
    ticket: ['TelemetryFailures'],
  },
  {
    name: 'DynamoDB is down',
    faults: { dynamodb: { down: true } },
    page: ['Failures', 'MqttErrors', 'NoTokens', 'SocketsErrors'],
    ticket: ['HeartbeatErrors', 'ReconcileErrors'],
  },
  {
    name: 'DynamoDB throttles all calls',
    faults: { dynamodb: { throttled: 1 } },
    page: ['Failures', 'MqttErrors', 'NoTokens', 'SocketsThrottled'],
    ticket: ['HeartbeatErrors', 'ReconcileErrors'],
    // Calls that are tried again when it ends count a moment later.
    quietPeriods: 2,
  },
  {
    name: 'functions are killed',
    faults: { functions: { killed: { share: 1 } } },
    page: ['Failures', 'MqttErrors', 'NoTokens', 'SocketsErrors'],
    // Each killed run costs the start of an instance: how many of a schedule's runs fail in a period depends on the machine.
    perhaps: ['HeartbeatErrors', 'ReconcileErrors'],
    quietPeriods: 2,
  },
  {
    name: 'Lambda’s concurrency is used up',
    faults: { functions: { throttled: 1 } },
    mend: () => reportsAre(true),
    page: ['Failures', 'NoCapacity', 'NoTokens', 'SocketsErrors'],
  },
  { name: 'AWS IoT fails', faults: { iot: { failing: 1 } }, page: ['StatusErrors'] },
  { name: 'posting to sockets fails', faults: { connections: { failing: 1 } }, page: ['SocketsErrors'] },
  {
    name: 'tables hold what this service never wrote',
    async act() {
      const organisation = 'unreadable';
      await put('Jobs', { organisation, jobId: `job-${randomUUID()}` });
      await put('Shares', { organisation, shareCode: `share-${randomUUID()}` });
    },
    async mend() {
      for (const queue of ['FanOutFailures', 'OutboundEventsFailures', 'ShareExpiryFailures']) await purge(queue);
    },
    page: ['OutboundEventsFailures'],
    ticket: ['FanOutFailures', 'ShareExpiryFailures'],
  },
  { name: 'nothing happens any more' },
];

beforeAll(async () => {
  load = await startSteadyLoad([first, ...others]);
  await until('the end of the start’s alarms', looked(areAllOk));
});
afterAll(() => load?.stop());

test('every alarm rings in some hour, or is listed with the reason why it can’t', async () => {
  const documented = documentedAlarms();
  const { states } = await readAlarms();
  const expected = day.flatMap(({ page = [], ticket = [] }) => [...page, ...ticket]);
  expect([...new Set([...expected, ...Object.keys(silent)])].sort()).toEqual([...documented.keys()].sort());
  expect([...states.keys(), ...Object.keys(silent)].sort()).toEqual([...documented.keys()].sort());
});

test.each(day)(
  '$name: exactly these alarms ring, and end',
  async ({ faults = {}, act, mend, page = [], ticket = [], perhaps = [], quietPeriods = 0 }) => {
    const before = (await readAlarms()).changes.length;
    const logged = loggedSoFar();
    const rung = async () => {
      const since = (await readAlarms()).changes.slice(before).filter(({ to }) => to === 'ALARM');
      return [...new Set(since.map(({ name }) => name))].sort();
    };
    const expected = [...page, ...ticket];
    injectFaults(faults);
    await Promise.all([act?.(), pause(ALARM_PERIOD_MS)]);
    // What rings besides is the more telling failure.
    await until(
      `the ringing of ${expected.join()}`,
      looked(async () => {
        const names = await rung();
        return expected.every((name) => names.includes(name));
      }),
      rung,
      RINGS_WITHIN_MS,
    ).catch(() => undefined);
    injectFaults({});
    await mend?.();
    await until('the end of the alarms', looked(areAllOkFor(quietPeriods)), undefined, 60_000);

    const documented = documentedAlarms();
    const names = (await rung()).filter((name) => !perhaps.includes(name));
    const ofUrgency = (urgency: string) => names.filter((name) => documented.get(name) === urgency);
    const why = names.every((name) => expected.includes(name)) ? [] : errorsLoggedAfter(logged);
    expect({ page: ofUrgency('page'), ticket: ofUrgency('ticket'), why }).toEqual({ page, ticket, why: [] });
  },
);

/** Looks ten times a second: each look is a call. */
const looked = (isMet: () => Promise<boolean>) => async () => {
  if (await isMet()) return true;
  await pause(100);
  return undefined;
};

async function areAllOk(): Promise<boolean> {
  const { states } = await readAlarms();
  return [...states.values()].every((state) => state === 'OK');
}

/** Whether all alarms have been in order for so many periods, asked again and again. */
function areAllOkFor(periods: number): () => Promise<boolean> {
  let since = Infinity;
  return async () => {
    if (!(await areAllOk())) since = Infinity;
    else since = Math.min(since, Date.now());
    return Date.now() - since >= periods * ALARM_PERIOD_MS;
  };
}

/** Whether the platform reports in the steady load. */
function reportsAre(on: boolean): Promise<void> {
  if (load) load.reports = on;
  return Promise.resolve();
}

const reports = (count: number) =>
  Array.from({ length: count }, () =>
    publishPlatformEvent(
      'device.telemetry.reported',
      { deviceId: fleetOf(first).deviceId, timestamp: new Date().toISOString() },
      new Date(),
    ),
  );

/** Guesses until somebody would notice. */
async function guessShareCodes(): Promise<void> {
  const { shareCode } = await givenShare(first);
  const deadline = Date.now() + RINGS_WITHIN_MS;
  const isNoticed = async () => (await readAlarms()).states.get('ShareCodesRefused') === 'ALARM';
  // Few at once: each further one costs the start of an instance, which would slow all of them.
  const guess = async () => {
    while (Date.now() < deadline && !(await isNoticed()))
      for (let count = 0; count < 10; count++) await tryToWatch(nobodys(shareCode));
  };
  await Promise.all(Array.from({ length: 6 }, guess));
}

const put = async (table: 'Jobs' | 'Shares', Item: Record<string, unknown>) =>
  database().send(new PutCommand({ TableName: await tableNamed(table), Item }));

/** The dead-letter queue of an alarm. */
async function queueOf(alarm: string): Promise<string> {
  const { QueueUrls = [] } = await queues().send(new ListQueuesCommand());
  const found = QueueUrls.find((url) => url.includes(alarm));
  if (found === undefined) throw new Error(`no queue of ${alarm}`);
  return found;
}

const sendTo = async (alarm: string, MessageBody: string) =>
  queues().send(new SendMessageCommand({ QueueUrl: await queueOf(alarm), MessageBody }));

const purge = async (alarm: string) => queues().send(new PurgeQueueCommand({ QueueUrl: await queueOf(alarm) }));

const state = z.enum(['OK', 'ALARM', 'INSUFFICIENT_DATA']);
const statistics = z.object({
  states: z.array(z.object({ name: z.string(), state })),
  changes: z.array(z.object({ name: z.string(), to: state, reason: z.string() })),
});

/** Alarms of the stack under test: the state of each, and every change since the start, the oldest first. */
async function readAlarms() {
  const { endpoint = '', credentials } = access();
  const answer = await fetch(`${endpoint}/_statistics/monitoring`, {
    headers: { authorization: `Bearer ${credentials?.accessKeyId ?? ''}` },
  });
  const { states, changes } = statistics.parse(await answer.json());
  return {
    states: new Map(states.map((one) => [alarmOf(one.name), one.state])),
    changes: changes.map(({ name, to, reason }) => ({ name: alarmOf(name), to, reason })),
  };
}

/** `Failures` of the logical id `ObservabilityAlarmsFailures55642730`. */
const alarmOf = (logicalId: string) => logicalId.replace(/^ObservabilityAlarms|[0-9A-F]{8}$/g, '');

/** Alarms of docs/operations.md with their urgency; they are generated from the template with every option. */
function documentedAlarms(): ReadonlyMap<string, string> {
  const page = readFileSync(join(__dirname, '../../docs/operations.md'), 'utf8');
  return new Map(
    [...page.matchAll(/^\| \[(\w+)\]\(runbooks\/[\w-]+\.md\) +\| (page|ticket) /gm)].map(
      ([, name = '', urgency = '']) => [name, urgency],
    ),
  );
}

/** What functions have logged so far, in characters. */
const loggedSoFar = (): number => functionLog().length;

/** Errors that functions logged after so many characters, each kind once: why an alarm rang that nobody expected. */
function errorsLoggedAfter(start: number): readonly string[] {
  const errors = functionLog()
    .slice(start)
    .split('\n')
    .filter((line) => line.includes('"level":"ERROR"'))
    .map((line) => line.replace(/"(requestId|timestamp|trace|stack)":"(\\.|[^"\\])*",?/g, '').slice(0, 300));
  return [...new Set(errors)].sort();
}

const functionLog = () => readFileSync(join(expectLocalFolder(), 'functions.log'), 'utf8');
