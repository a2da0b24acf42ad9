import { execFile } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { DynamoDBClient, paginateListTables } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, PutCommand } from '@aws-sdk/lib-dynamodb';
import { WebSocket } from 'ws';
import { channels } from '../../../contract/channels/status-channels';
import { shareProtocols } from '../../../contract/shares/viewer-protocol';
import { TELEMETRY_PATH } from '../../../contract/websocket-actions';
import type { LocalStack } from './local-stack';
import type { ChannelClient } from './many-clients';

/** An action repeated at a fixed rate. */
export interface Attack {
  readonly name: string;
  readonly perSecond: number;
  readonly run: () => Promise<unknown>;
}

const execute = promisify(execFile);

/** Opens a socket and closes it at once, whether accepted or refused. */
const connectAndClose = (url: string, protocols: readonly string[] = [], headers: Record<string, string> = {}) =>
  new Promise<void>((done) => {
    const socket = new WebSocket(url, [...protocols], { headers });
    socket.once('open', () => socket.close());
    socket.once('error', () => done());
    socket.once('close', () => done());
  });

async function openSocket(url: string, headers: Record<string, string> = {}): Promise<WebSocket> {
  const socket = new WebSocket(url, { headers });
  await new Promise((open, refused) => socket.once('open', open).once('error', refused));
  socket.on('error', () => undefined);
  return socket;
}

async function createShare(client: ChannelClient, permissions: readonly ('view' | 'control')[]): Promise<string> {
  const wanted = { resourceId: client.deviceId, shareType: 'DEVICE_STATUS', maxViewers: 100 } as const;
  const { shareCode } = await client.api.shares.create({ ...wanted, permissions: [...permissions] });
  return shareCode;
}

/** Returns a function that puts an invalid job into the table, as a defect might; partners cannot. */
async function invalidJobWriter({ access }: LocalStack): Promise<() => Promise<unknown>> {
  const { endpointUrl: endpoint, region, accessKeyId, secretAccessKey } = access;
  const client = new DynamoDBClient({ endpoint, region, credentials: { accessKeyId, secretAccessKey } });
  const names: string[] = [];
  for await (const { TableNames = [] } of paginateListTables({ client }, {})) names.push(...TableNames);
  const TableName = names.find((name) => name.includes('TablesJobs'));
  const documents = DynamoDBDocumentClient.from(client);
  let count = 0;
  return () =>
    documents.send(
      new PutCommand({
        TableName,
        Item: { organisation: 'none', jobId: `none-${++count}`, status: 'FLYING', name: 7 },
      }),
    );
}

/** Opens sockets that follow a group and never read; returns a function that publishes a large sample of its device. */
async function slowReaders(wsUrl: string, client: ChannelClient, count: number): Promise<() => Promise<unknown>> {
  const headers = { authorization: `Bearer ${client.token}` };
  const group = wsUrl + channels.group.path.replace('{id}', client.deviceGroupId);
  for (let index = 0; index < count; index++) (await openSocket(group, headers)).pause();
  const publisher = await openSocket(wsUrl + TELEMETRY_PATH, headers);
  const sensorPayload = { camera: {}, padding: 'x'.repeat(7000) };
  return () => {
    const sample = { deviceId: client.deviceId, timestamp: new Date().toISOString(), sensorPayload };
    publisher.send(JSON.stringify({ action: 'publish', telemetry: [sample] }));
    return Promise.resolve();
  };
}

/**
 * The worst load that strangers and other partners may cause, one kind after the other.
 * @param others a client of an organisation that misbehaves, and one of another that gets suspended
 */
export async function* attacksOn(
  stack: LocalStack,
  [partner, suspended]: readonly [ChannelClient, ChannelClient],
  perSecond: number,
): AsyncGenerator<Attack> {
  const wsUrl = stack.facts.wsUrl ?? '';
  const withCode = (code: string) => `${wsUrl}${TELEMETRY_PATH}?shareCode=${code}`;
  const pages = Object.values(shareProtocols);
  yield { name: 'pages with an invalid code', perSecond, run: () => connectAndClose(withCode('none'), pages) };

  const code = await createShare(partner, ['view']);
  yield { name: 'viewers that connect and disconnect', perSecond, run: () => connectAndClose(withCode(code)) };

  const suspendedCode = await createShare(suspended, ['view']);
  const words = ['--import', 'tsx', 'bin/partner.ts', 'suspend', '--client-id', suspended.clientId, '--local'];
  await execute(process.execPath, words, { env: { ...process.env, LOCAL_DIR: stack.dataFolder } });
  yield {
    name: 'viewers of a suspended partner',
    perSecond,
    run: () => connectAndClose(withCode(suspendedCode), pages),
  };

  const { jobId } = await partner.api.jobs.create({ name: 'Survey', deviceGroupId: partner.deviceGroupId });
  const channel = wsUrl + channels.job.path.replace('{id}', jobId);
  const headers = { authorization: `Bearer ${partner.token}` };
  yield { name: 'partner sockets that open and close', perSecond, run: () => connectAndClose(channel, [], headers) };

  yield { name: 'unreadable records', perSecond: 10, run: await invalidJobWriter(stack) };

  const viewer = await openSocket(withCode(await createShare(partner, ['view', 'control'])));
  const command = JSON.stringify({ action: 'control', command: { name: 'HOVER' } });
  const steer = () => {
    viewer.send(command);
    return Promise.resolve();
  };
  yield { name: 'commands over a share link', perSecond, run: steer };
  viewer.close();

  yield { name: 'samples to 40 sockets that never read', perSecond: 10, run: await slowReaders(wsUrl, partner, 40) };
}

/** Repeats an action at its rate until the signal aborts. */
export async function repeatUntilAborted({ perSecond, run }: Attack, stop: AbortSignal): Promise<void> {
  const pending = new Set<Promise<unknown>>();
  while (!stop.aborted) {
    const one = run()
      .catch(() => undefined)
      .finally(() => pending.delete(one));
    pending.add(one);
    await pause(1000 / perSecond);
  }
  await Promise.all(pending);
}
