import { setTimeout as pause } from 'node:timers/promises';
import { DynamoDBClient, ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import type { Usage } from 'cloud-assembly-runner';
import { WebSocket } from 'ws';
import { pathTo } from '../../../domain/jobs/job-lifecycle';
import { follow, waitUntil } from '../support/followers';
import { billOf, type Bill } from './bill';
import { between, beyondIdle, readSettled, scaled, sum, type Setup } from './metered-stack';
import { listenersKey } from '../../../data/channels/listeners';
import { organisationOf } from '../../../domain/values/id';
import { TELEMETRY_PATH } from '../../../contract/websocket-actions';
import { report } from './fleet';

const JOBS = 12;
const MILLION = 1e6;
const FOLLOWED_MINUTES = 10;
/** The service posts to a quiet socket every four minutes. */
const HEARTBEATS = 2;
const reports = pathTo('COMPLETED');

/** A job that is created, followed over WSS, and reported three times. */
async function runJob({ stack, client, platform }: Setup): Promise<void> {
  const { jobId } = await client.api.jobs.create({ name: 'Survey', deviceGroupId: client.deviceGroupId });
  const socket = await follow(stack.facts, client, { kind: 'job', id: jobId });
  for (const status of reports) {
    await platform({ type: 'job.status.reported', detail: { jobId, status, at: new Date().toISOString() } });
    await waitUntil(() => socket.received.some(({ jobState }) => jobState === status));
  }
  socket.close();
}

/** A million jobs in a month, one after the other. */
export async function jobs(setup: Setup): Promise<Bill> {
  const { access } = setup.stack;
  await runJob(setup);
  const before = await readSettled(access);
  for (let count = 0; count < JOBS; count++) await runJob(setup);
  const used = between(before, await readSettled(access));
  const measured = beyondIdle(used, setup.idle);
  const minutes = measured['clients']?.['websocket:minutes'] ?? 0;
  const followed = {
    clients: { 'websocket:minutes': JOBS * FOLLOWED_MINUTES - minutes, 'websocket:messages': JOBS * HEARTBEATS },
  };
  return billOf(
    'a million jobs: created, three reports, one follower of 10 minutes',
    `${JOBS} jobs × ${(MILLION / JOBS).toFixed(0)}, evenly over a month, with ${FOLLOWED_MINUTES} minutes and ${HEARTBEATS} heartbeats of each follower`,
    scaled(sum(measured, followed), MILLION / JOBS),
  );
}

const COMMANDS = 12;
/** After so long the message that would have ended a command in time has come, in ms. */
const TIMEOUT_MS = 40_000;

/** A command that is begun and done. */
async function runCommand({ client, platform }: Setup, deviceId: string): Promise<string> {
  const { command } = await client.api.devices.command(deviceId, { name: 'TAKE_PHOTO' });
  const { commandId } = command;
  for (const outcome of ['DELIVERED', 'DONE'] as const) {
    // A command that has a status already is not published.
    await pause(1000);
    const detail = { requestId: commandId, deviceId, outcome, at: new Date().toISOString() };
    await platform({ type: 'control.outcome.reported', detail });
  }
  await pause(500);
  return commandId;
}

/**
 * Makes it look as if no client of the organisation had been connected for longer than a connection lasts. A function
 * that has noted a client does not note the next one: so sockets are forgotten only after the last of them.
 */
async function forgetListeners(
  { stack, client }: Setup,
  ...media: readonly ('socketsUntil' | 'topicUntil')[]
): Promise<void> {
  const { endpointUrl: endpoint, region, ...credentials } = stack.access;
  const database = DynamoDBDocumentClient.from(new DynamoDBClient({ endpoint, region, credentials }));
  const { TableNames = [] } = await database.send(new ListTablesCommand());
  const TableName = TableNames.find((name) => name.includes('TablesConnections'));
  const Key = listenersKey(organisationOf('device', client.deviceId) ?? '');
  const UpdateExpression = `SET ${media.map((attribute) => `${attribute} = :past`).join(', ')}`;
  const ExpressionAttributeValues = { ':past': 1 };
  await database.send(new UpdateCommand({ TableName, Key, UpdateExpression, ExpressionAttributeValues }));
}

/** A million commands in a month to devices that fly jobs: that nobody follows, and each with a follower of its job over WSS. */
export async function commands(setup: Setup): Promise<Bill[]> {
  const { client, platform, stack } = setup;
  const { deviceId, deviceGroupId } = client;
  const { jobId } = await client.api.jobs.create({ name: 'Survey', deviceGroupId, deviceId });
  const at = () => new Date().toISOString();
  for (const status of ['QUEUED', 'IN_PROGRESS'] as const)
    await platform({ type: 'job.status.reported', detail: { jobId, status, deviceId, at: at() } });
  const sample = { deviceId, timestamp: at(), droneState: 'WAYPOINT', jobId };
  await platform({ type: 'device.telemetry.reported', detail: { telemetry: [sample] } });
  await forgetListeners(setup, 'topicUntil');
  const socket = await follow(stack.facts, client, { kind: 'job', id: jobId });
  await waitUntil(() => socket.received.some(({ jobState }) => jobState === 'IN_PROGRESS'));
  await runCommand(setup, deviceId);
  const followed = await billOfCommands(setup, 'one follower of each');
  socket.close();
  await forgetListeners(setup, 'socketsUntil', 'topicUntil');
  return [await billOfCommands(setup, 'nobody follows'), followed];
}

/** @param audience who follows the job */
async function billOfCommands(setup: Setup, audience: string): Promise<Bill> {
  const { client, stack } = setup;
  const before = await readSettled(stack.access);
  for (let count = 0; count < COMMANDS; count++) await runCommand(setup, client.deviceId);
  await pause(TIMEOUT_MS);
  const used = between(before, await readSettled(stack.access));
  return billOf(
    `a million commands to devices that fly jobs, ${audience}`,
    `${COMMANDS} commands × ${(MILLION / COMMANDS).toFixed(0)}, evenly over a month, each begun and done`,
    scaled(beyondIdle(used, setup.idle), MILLION / COMMANDS),
  );
}

const SHARES = 6;
/** Until a share ends, in s: later than the creation of the last one has settled. */
const EXPIRES_IN = 90;
/** Between two shares, in ms: their ends are spread over a minute, as the times of a scheduler that works in minutes. */
const EVERY_MS = 10_000;
const VIEWERS = 10;
const WATCHED_SECONDS = 30;
const HOUR_SECONDS = 3600;

/** What the end of a share that lasts for longer than 15 minutes takes besides: a schedule, its message, and a second delay. */
const scheduled: Usage = {
  schedules: { 'scheduler:invocations': SHARES, 'sqs:requests': 3 * SHARES, 'lambda:requests': SHARES },
};

/** A million shares that expire: all that happens after their creation, and at it what functions of their ends do. */
export async function shareEnds(setup: Setup): Promise<Bill> {
  const { client, stack } = setup;
  const before = await readSettled(stack.access);
  for (let count = 0; count < SHARES; count++) {
    await client.api.shares.create({ resourceId: client.deviceId, shareType: 'DEVICE_STATUS', expiresIn: EXPIRES_IN });
    if (count < SHARES - 1) await pause(EVERY_MS);
  }
  const created = await readSettled(stack.access);
  await pause(EXPIRES_IN * 1000 - (performance.now() - created.at));
  const after = await readSettled(stack.access);
  const whole = beyondIdle(between(before, after), setup.idle);
  const later = beyondIdle(between(created, after), setup.idle);
  return billOf(
    'a million shares that expire, without their creation',
    `${SHARES} shares × ${(MILLION / SHARES).toFixed(0)}, evenly over a month, each with a schedule, as if it lasted for longer than 15 minutes`,
    scaled(sum(endsIn(whole, later), scheduled), MILLION / SHARES),
  );
}

/**
 * What the ends of shares take: all that happens later than their creation, and what the functions of their ends do at
 * it, but for the event that tells the platform of a new share.
 */
function endsIn(whole: Usage, later: Usage): Usage {
  const ofEnds = Object.entries(whole)
    .filter(([caller]) => caller.startsWith('ShareExpiry'))
    .map(([caller, charges]) => {
      const { 'events:events': events = 0, 'events:bytes': bytes = 0 } = later[caller] ?? {};
      return [caller, { ...charges, 'events:events': events, 'events:bytes': bytes }] as const;
    });
  return { ...later, ...Object.fromEntries(ofEnds) };
}

/** A device in flight whose share has ten viewers for an hour. */
export async function shareViewers(setup: Setup): Promise<Bill> {
  const { client, stack } = setup;
  const share = await client.api.shares.create({
    resourceId: client.deviceId,
    shareType: 'DEVICE_STATUS',
    maxViewers: VIEWERS,
  });
  const begin = await readSettled(stack.access);
  const received: string[] = [];
  const viewers = await Promise.all(
    Array.from({ length: VIEWERS }, async () => {
      const socket = new WebSocket(`${stack.facts.wsUrl ?? ''}${TELEMETRY_PATH}?shareCode=${share.shareCode}`);
      socket.on('message', (data: Buffer) => received.push(data.toString()));
      await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
      return socket;
    }),
  );
  await waitUntil(() => received.length >= VIEWERS);
  const opened = await readSettled(stack.access);
  await report(setup, 'flight', WATCHED_SECONDS, { devices: 1 });
  const watched = await readSettled(stack.access);
  for (const viewer of viewers) viewer.close();
  const closed = await readSettled(stack.access);
  const once = sum(beyondIdle(between(begin, opened), setup.idle), beyondIdle(between(watched, closed), setup.idle));
  const perWatch = beyondIdle(between(opened, watched), setup.idle);
  return billOf(
    'a device in flight, shared with 10 viewers for an hour',
    `their handshakes and ends, and ${WATCHED_SECONDS} s × ${HOUR_SECONDS / WATCHED_SECONDS}`,
    sum(once, scaled(perWatch, HOUR_SECONDS / WATCHED_SECONDS)),
  );
}
