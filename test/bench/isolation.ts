import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { DynamoDBClient, paginateListTables } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, PutCommand } from '@aws-sdk/lib-dynamodb';
import { WebSocket } from 'ws';
import { follow, waitUntil } from './support/followers';
import { percentile, type Measured, type Measurement } from './support/figure';
import { startLocalStack, type LocalStack } from './support/local-stack';
import { onboardClients, type ChannelClient } from './support/many-clients';
import { channels } from '../../contract/channels/status-channels';
import { shareProtocols } from '../../contract/shares/viewer-protocol';
import { TELEMETRY_PATH } from '../../contract/websocket-actions';

/** Duration of a round without an attack, and the pause between its jobs, in ms. */
const ALONE_MS = 15_000;
const PAUSE_MS = 200;
/** With an attack a round takes a minute, so that limits per minute count in full. */
const UNDER_ATTACK_MS = 60_000;
/** Warm-up before that, in ms: until enough instances of functions are warm, as in an account in use. */
const WARM_UP_MS = 10_000;
/** Pause afterwards, in ms, until the attack's calls have ended. */
const COOL_DOWN_MS = 3000;
/** Handshakes or commands per second. */
const HANDSHAKES_PER_S = 60;
const MAX_RATIO = 2;
/** Time counted for a message that never came, in ms. */
const TIMED_OUT_MS = 30_000;

interface Times {
  /** From the handshake to the first message, and from a change to its message; ms. */
  readonly first: number[];
  readonly change: number[];
}

/** A well-behaved organisation creates, follows and changes jobs for this long. */
async function measureOrganisation(
  wsFacts: Parameters<typeof follow>[0],
  clients: readonly ChannelClient[],
  durationMs: number,
): Promise<Times> {
  const times: Times = { first: [], change: [] };
  const deadline = performance.now() + durationMs;
  for (let round = 0; performance.now() < deadline; round++) {
    const client = clients[round % clients.length];
    if (!client) throw new Error('no client was onboarded');
    const body = { name: 'Survey', deviceGroupId: client.deviceGroupId };
    const job = await client.api.jobs.create(body);
    const begin = performance.now();
    const listener = await follow(wsFacts, client, { kind: 'job', id: job.jobId }).catch(() => undefined);
    if (!listener) {
      times.first.push(TIMED_OUT_MS);
      continue;
    }
    times.first.push((listener.received[0]?.at ?? NaN) - begin);
    const changed = performance.now();
    await client.api.jobs.update(job.jobId, { status: 'QUEUED' });
    const received = () => listener.received.find(({ jobState }) => jobState === 'QUEUED');
    await waitUntil(() => received() !== undefined);
    times.change.push((received()?.at ?? NaN) - changed);
    listener.close();
    await pause(PAUSE_MS);
  }
  return times;
}

const merged = (one: Times, other: Times): Times => ({
  first: [...one.first, ...other.first],
  change: [...one.change, ...other.change],
});

/** Compares the 95th percentiles with and without an attack. */
function compare(what: string, alone: readonly number[], underAttack: readonly number[]): Measured {
  const [before, during] = [percentile(alone, 95), percentile(underAttack, 95)];
  return {
    figure: `${what}, p95 of a well-behaved organisation`,
    measured: `${during.toFixed(0)} ms, ${(during / before).toFixed(2)} x alone (${before.toFixed(0)} ms)`,
    mustBe: `at most ${MAX_RATIO} x alone`,
    ok: during / before <= MAX_RATIO,
  };
}

/** One organisation's latency while a stranger, or another organisation, causes the worst load that its limits allow. */
export const isolation: Measurement = async () => {
  const folder = await mkdtemp(join(tmpdir(), 'isolation-'));
  const stack = await startLocalStack(join(__dirname, '../..'), folder, ['--memory', '--instances', '40']);
  try {
    const { facts } = stack;
    const clients = await onboardClients(folder, facts.baseUrl, 5);
    const [partner] = await onboardClients(folder, facts.baseUrl, 1);
    const [suspended] = await onboardClients(folder, facts.baseUrl, 1);
    if (!partner || !suspended) throw new Error('no client was onboarded');
    await measureOrganisation(facts, clients, ALONE_MS);
    const figures: Measured[] = [];
    for await (const attack of attacksOn(stack, [partner, suspended], HANDSHAKES_PER_S)) {
      // Before and after each attack: the machine's speed varies.
      const before = await measureOrganisation(facts, clients, ALONE_MS);
      const stop = new AbortController();
      const attacking = repeatUntilAborted(attack, stop.signal);
      await measureOrganisation(facts, clients, WARM_UP_MS);
      const underAttack = await measureOrganisation(facts, clients, UNDER_ATTACK_MS).finally(() => stop.abort());
      await attacking;
      await pause(COOL_DOWN_MS);
      const alone = merged(before, await measureOrganisation(facts, clients, ALONE_MS));
      const doing = `${attack.perSecond} ${attack.name} a second`;
      const found = [
        compare(`first message beside ${doing}`, alone.first, underAttack.first),
        compare(`change → message beside ${doing}`, alone.change, underAttack.change),
      ];
      for (const { figure, measured } of found) console.error(`${figure}: ${measured}`);
      figures.push(...found);
    }
    return figures;
  } finally {
    await stack.stop();
    await rm(folder, { recursive: true });
  }
};

/** An action repeated at a fixed rate. */
interface Attack {
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
async function* attacksOn(
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
async function repeatUntilAborted({ perSecond, run }: Attack, stop: AbortSignal): Promise<void> {
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
