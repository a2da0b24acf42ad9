import { execFile } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { DynamoDBClient, paginateListTables } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, PutCommand } from '@aws-sdk/lib-dynamodb';
import { WebSocket } from 'ws';
import { channels } from '../contract/channels';
import { shareProtocols, TELEMETRY_PATH } from '../contract/telemetry';
import type { LocalStack } from './local-stack';
import type { ChannelClient } from './many-clients';

/** Something that somebody does again and again, so many times a second. */
export interface Attack {
  readonly what: string;
  readonly perSecond: number;
  readonly once: () => Promise<unknown>;
}

const run = promisify(execFile);

/** Opens a socket and leaves at once, let in or not. */
const comeAndLeave = (url: string, protocols: readonly string[] = [], headers: Record<string, string> = {}) =>
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

async function shareOf(client: ChannelClient, permissions: readonly string[]): Promise<string> {
  const wanted = { resourceId: client.deviceId, shareType: 'DEVICE_STATUS', maxViewers: 100, permissions };
  const { share } = (await client.call('POST /v3/streams/share', {}, wanted)) as { share: { shareCode: string } };
  return share.shareCode;
}

/** Puts jobs into the table that are none, as a defect might: no partner can. */
async function poisoned({ access }: LocalStack): Promise<() => Promise<unknown>> {
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

/** Sockets that follow a group and never read, while its device reports all that it may say. */
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
 * The worst that strangers and other partners may do, one after the other.
 * @param others clients of one organisation that behaves badly, and one of another that is suspended
 */
export async function* attacksOn(
  stack: LocalStack,
  [partner, suspended]: readonly [ChannelClient, ChannelClient],
  perSecond: number,
): AsyncGenerator<Attack> {
  const wsUrl = stack.facts.wsUrl ?? '';
  const withCode = (code: string) => `${wsUrl}${TELEMETRY_PATH}?shareCode=${code}`;
  const pages = Object.values(shareProtocols);
  yield { what: 'pages with a code that is none', perSecond, once: () => comeAndLeave(withCode('none'), pages) };

  const code = await shareOf(partner, ['view']);
  yield { what: 'viewers who come and leave', perSecond, once: () => comeAndLeave(withCode(code)) };

  const shut = await shareOf(suspended, ['view']);
  const words = ['--import', 'tsx', 'bin/partner.ts', 'suspend', '--client-id', suspended.clientId, '--local'];
  await run(process.execPath, words, { env: { ...process.env, LOCAL_DIR: stack.dataFolder } });
  yield { what: 'viewers of a suspended partner', perSecond, once: () => comeAndLeave(withCode(shut), pages) };

  const { job } = (await partner.call(
    'POST /v3/jobs/create',
    {},
    {
      name: 'Survey',
      deviceGroupId: partner.deviceGroupId,
    },
  )) as { job: { jobId: string } };
  const channel = wsUrl + channels.job.path.replace('{id}', job.jobId);
  const headers = { authorization: `Bearer ${partner.token}` };
  yield { what: 'sockets of a partner that open and close', perSecond, once: () => comeAndLeave(channel, [], headers) };

  yield { what: 'records that nobody can read', perSecond: 10, once: await poisoned(stack) };

  const viewer = await openSocket(withCode(await shareOf(partner, ['view', 'control'])));
  const command = JSON.stringify({ action: 'control', command: { name: 'HOVER' } });
  const steer = () => {
    viewer.send(command);
    return Promise.resolve();
  };
  yield { what: 'commands over a share link', perSecond, once: steer };
  viewer.close();

  yield { what: 'samples to 40 sockets that never read', perSecond: 10, once: await slowReaders(wsUrl, partner, 40) };
}

/** Does something so many times a second until told to stop. */
export async function keepOn({ perSecond, once }: Attack, stop: AbortSignal): Promise<void> {
  const underWay = new Set<Promise<unknown>>();
  while (!stop.aborted) {
    const one = once()
      .catch(() => undefined)
      .finally(() => underWay.delete(one));
    underWay.add(one);
    await pause(1000 / perSecond);
  }
  await Promise.all(underWay);
}
