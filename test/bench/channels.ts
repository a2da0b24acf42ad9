import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { AwsAccess, CallCounts } from 'cloud-assembly-runner';
import { DynamoDBClient, ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { follow, subscribeToJobs, waitUntil, type Listener, type ReceivedMessage } from './support/followers';
import { median, percentile, type Measured, type Measurement } from './support/figure';
import { startLocalStack, type LocalStack } from './support/local-stack';
import { onboardClients, type ChannelClient } from './support/many-clients';
import { residentMegabytes } from './support/process-usage';
import { pathTo } from '../../domain/jobs/job-lifecycle';
import { fleetKey } from '../../data/fleet/fleet-key';
import { organisationOf } from '../../domain/values/id';

/** Seats of a client, one per socket, and subscriptions per MQTT connection. */
const SEATS_PER_CLIENT = 50;
/** Changes in the measurement with many sockets. */
const ROUNDS = 20;
const statuses = pathTo('COMPLETED');

interface Setup {
  readonly stack: LocalStack;
  readonly clients: readonly [ChannelClient, ...ChannelClient[]];
}

const change = (client: ChannelClient, jobId: string, status: (typeof statuses)[number]) =>
  client.api.jobs.update(jobId, { status });

async function newJob(client: ChannelClient): Promise<string> {
  const { jobId } = await client.api.jobs.create({ name: 'Survey', deviceGroupId: client.deviceGroupId });
  return jobId;
}

/** Creates jobs with all clients in turn, since each may create 60 a minute. */
const newJobs = ({ clients }: Setup, count: number): Promise<string[]> =>
  Promise.all(Array.from({ length: count }, (_, index) => newJob(clients[index % clients.length] ?? clients[0])));

const closeAll = (listeners: readonly Listener[]) => listeners.forEach((listener) => listener.close());
const ms = (value: number) => `${value.toFixed(0)} ms`;

/** Time from sending a change to receiving its message. */
async function latency(setup: Setup): Promise<Measured[]> {
  const { stack, clients } = setup;
  const [client] = clients;
  const times = { WSS: [] as number[], MQTTS: [] as number[] };
  for (let round = 0; round < 50; round++) {
    const jobId = await newJob(clients[round % clients.length] ?? client);
    const socket = await follow(stack.facts, client, { kind: 'job', id: jobId });
    const listener = await subscribeToJobs(stack.facts, client, [jobId]);
    for (const status of statuses) {
      const begin = performance.now();
      const matches = ({ jobState, snapshot }: ReceivedMessage) => jobState === status && !snapshot;
      await Promise.all([
        change(client, jobId, status),
        waitUntil(() => socket.received.some(matches) && listener.received.some(matches)),
      ]);
      times.WSS.push((socket.received.find(matches)?.at ?? NaN) - begin);
      times.MQTTS.push((listener.received.find(matches)?.at ?? NaN) - begin);
    }
    closeAll([socket, listener]);
  }
  return Object.entries(times).map(([way, taken]) => ({
    figure: `change → message over ${way}`,
    measured: `median ${ms(median(taken))}, p95 ${ms(percentile(taken, 95))}`,
    mustBe: 'median under 150 ms, p95 under 400 ms',
    ok: median(taken) < 150 && percentile(taken, 95) < 400,
  }));
}

/** Changes to 1,000 sockets of 20 clients on one channel: a device of their group goes online and offline. */
async function manySockets({ stack, clients }: Setup): Promise<Measured[]> {
  const [{ deviceGroupId, deviceId }] = clients;
  const group = { kind: 'group', id: deviceGroupId } as const;
  const sockets: Listener[] = [];
  for (let place = 0; place < SEATS_PER_CLIENT; place++)
    sockets.push(...(await Promise.all(clients.map((client) => follow(stack.facts, client, group)))));
  const setStatus = await deviceStatusWriter(stack.access, deviceId);
  const times: number[] = [];
  const memory: number[] = [];
  for (let round = 1; round <= ROUNDS; round++) {
    const begin = performance.now();
    await setStatus(round % 2 ? 'online' : 'offline');
    await waitUntil(() => sockets.every(({ received }) => received.length > round));
    times.push(Math.max(...sockets.map(({ received }) => received[round]?.at ?? NaN)) - begin);
    memory.push(residentMegabytes(stack.pid));
  }
  closeAll(sockets);
  const slowest = Math.max(...times);
  // The first changes warm up what the later ones use.
  const [before, after] = [memory[Math.floor(ROUNDS / 2)] ?? 0, Math.max(...memory.slice(ROUNDS / 2))];
  return [
    {
      figure: `one change to ${sockets.length} sockets of one channel`,
      measured: `median ${ms(median(times))}, at most ${ms(slowest)} of ${ROUNDS}`,
      mustBe: 'under 2000 ms',
      ok: slowest < 2000,
    },
    {
      figure: `memory of the stack after ${ROUNDS} such changes`,
      measured: `${after.toFixed(0)} MB, ${before.toFixed(0)} MB half-way`,
      mustBe: 'flat: at most 1.05 x',
      ok: after <= before * 1.05,
    },
  ];
}

/** Distinct sequences received about a job. */
const sequencesOf = ({ received }: Listener, jobId: string) => [
  ...new Set(received.filter((message) => message.jobId === jobId).map(({ sequence }) => sequence)),
];

/** 100 jobs × 3 changes at once: one MQTT client with two connections, and 50 sockets. */
async function manyChanges(setup: Setup): Promise<Measured[]> {
  const { stack, clients } = setup;
  const [client, follower = client] = clients;
  const jobIds = await newJobs(setup, 2 * SEATS_PER_CLIENT);
  const halves = [jobIds.slice(0, SEATS_PER_CLIENT), jobIds.slice(SEATS_PER_CLIENT)];
  const mqtt = await Promise.all(halves.map((half) => subscribeToJobs(stack.facts, client, half)));
  const followed = jobIds.slice(0, SEATS_PER_CLIENT);
  const sockets = await Promise.all(followed.map((jobId) => follow(stack.facts, follower, { kind: 'job', id: jobId })));
  const pairs: (readonly [Listener | undefined, string])[] = [
    ...followed.map((jobId, index) => [sockets[index], jobId] as const),
    ...jobIds.map((jobId, index) => [mqtt[Math.floor(index / SEATS_PER_CLIENT)], jobId] as const),
  ];
  const allReceived = () => pairs.every(([listener, jobId]) => listener && sequencesOf(listener, jobId).includes(4));

  const begin = performance.now();
  await Promise.all(
    jobIds.map(async (jobId) => {
      for (const status of statuses) await change(client, jobId, status);
    }),
  );
  await waitUntil(allReceived);
  const taken = performance.now() - begin;
  const complete = pairs.filter(([listener, jobId]) => listener && sequencesOf(listener, jobId).join() === '1,2,3,4');
  closeAll([...mqtt, ...sockets]);
  return [
    {
      figure: '100 jobs x 3 changes at once, one MQTT client and 50 sockets',
      measured: `${complete.length} of ${pairs.length} followed jobs whole and in order, in ${ms(taken)}`,
      mustBe: 'all',
      ok: complete.length === pairs.length,
    },
  ];
}

/** AWS calls of the fan-out function. */
async function callsOf({ access }: LocalStack): Promise<Readonly<Record<string, number>>> {
  const headers = { authorization: `Bearer ${access.accessKeyId}` };
  const counts = (await (await fetch(`${access.endpointUrl}/_calls`, { headers })).json()) as CallCounts;
  const [, calls = {}] = Object.entries(counts).find(([caller]) => caller.includes('StatusFanOut')) ?? [];
  return calls;
}

/** One change without followers. */
async function callsPerChange({ stack, clients: [client] }: Setup): Promise<Measured[]> {
  const jobId = await newJob(client);
  // Until earlier changes have been published.
  await pause(2000);
  const before = await callsOf(stack);
  await change(client, jobId, 'QUEUED');
  await pause(2000);
  const made = Object.entries(await callsOf(stack))
    .map(([operation, count]) => [operation, count - (before[operation] ?? 0)] as const)
    .filter(([, count]) => count > 0);
  const text = made
    .map(([operation, count]) => `${count} x ${operation}`)
    .toSorted()
    .join(', ');
  return [
    {
      figure: 'calls per change without followers',
      measured: text,
      mustBe: 'one put, one query',
      ok: text === '1 x dynamodb:PutItem, 1 x dynamodb:Query',
    },
  ];
}

/** The status channels of a local stack, with real clients. */
export const statusChannels: Measurement = async () => {
  const folder = await mkdtemp(join(tmpdir(), 'status-channels-'));
  const stack = await startLocalStack(join(__dirname, '../..'), folder, ['--memory']);
  try {
    const [first, ...others] = await onboardClients(folder, stack.facts.baseUrl, 20);
    if (!first) throw new Error('no client was onboarded');
    const setup: Setup = { stack, clients: [first, ...others] };
    const measured: Measured[] = [];
    for (const measure of [latency, callsPerChange, manyChanges, manySockets]) measured.push(...(await measure(setup)));
    return measured;
  } finally {
    await stack.stop();
    await rm(folder, { recursive: true });
  }
};

/** Returns a function that changes a device's status in the table of a running stack, as telemetry and offline detection do. */
async function deviceStatusWriter({ endpointUrl, region, ...credentials }: AwsAccess, deviceId: string) {
  const database = DynamoDBDocumentClient.from(new DynamoDBClient({ endpoint: endpointUrl, region, credentials }));
  const { TableNames = [] } = await database.send(new ListTablesCommand());
  const TableName = TableNames.find((name) => name.includes('TablesFleet'));
  return (status: 'online' | 'offline') =>
    database.send(
      new UpdateCommand({
        TableName,
        Key: fleetKey(organisationOf('device', deviceId) ?? '', deviceId),
        UpdateExpression: 'SET #status = :status ADD version :one',
        ExpressionAttributeNames: { '#status': 'status' },
        ExpressionAttributeValues: { ':status': status, ':one': 1 },
      }),
    );
}
