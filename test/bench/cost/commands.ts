import { setTimeout as pause } from 'node:timers/promises';
import { DynamoDBClient, ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { listenersKey } from '../../../data/channels/listeners';
import { organisationOf } from '../../../domain/values/id';
import { follow, waitUntil } from '../support/channel-listeners';
import { billOf, type Bill } from './bill';
import type { Setup } from './setup';
import { beyondIdle, between, readSettled, scaled } from './usage';

const COMMANDS = 12;
const MILLION = 1e6;
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
