import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { shareProtocols, TELEMETRY_PATH } from '../contract/telemetry';
import { follow, until } from './channel-listeners';
import { percentile, type Measured, type Measurement } from './figure';
import { startLocalStack } from './local-stack';
import { onboardClients, type ChannelClient } from './many-clients';

/** Of a well-behaved organisation, in each phase. */
const ROUNDS = 25;
const PAUSE_MS = 150;
/** Handshakes a second that a stranger makes. */
const HANDSHAKES_PER_S = 60;
const AT_MOST = 2;

interface Times {
  /** From the handshake to the first message, and from a change to the message of it; ms. */
  readonly first: number[];
  readonly change: number[];
}

/** A well-behaved organisation follows a new job and changes it, again and again. */
async function behave(wsFacts: Parameters<typeof follow>[0], clients: readonly ChannelClient[]): Promise<Times> {
  const times: Times = { first: [], change: [] };
  for (let round = 0; round < ROUNDS; round++) {
    const client = clients[round % clients.length];
    if (!client) throw new Error('nobody was onboarded');
    const body = { name: 'Survey', deviceGroupId: client.deviceGroupId };
    const { job } = (await client.call('POST /v3/jobs/create', {}, body)) as { job: { jobId: string } };
    const begin = performance.now();
    const listener = await follow(wsFacts, client, { kind: 'job', id: job.jobId });
    times.first.push((listener.heard[0]?.at ?? NaN) - begin);
    const changed = performance.now();
    await client.call('PATCH /v3/jobs/{jobId}', { jobId: job.jobId }, { status: 'QUEUED' });
    const heard = () => listener.heard.find(({ jobState }) => jobState === 'QUEUED');
    await until(() => heard() !== undefined);
    times.change.push((heard()?.at ?? NaN) - changed);
    listener.close();
    await pause(PAUSE_MS);
  }
  return times;
}

/** Opens a telemetry socket as somebody with a share code, or with none that stands, and leaves at once. */
const comeAndLeave = (wsUrl: string, shareCode: string, protocols: readonly string[] = []): Promise<void> =>
  new Promise((done) => {
    const socket = new WebSocket(`${wsUrl}${TELEMETRY_PATH}?shareCode=${shareCode}`, [...protocols]);
    socket.once('open', () => socket.close());
    socket.once('error', () => done());
    socket.once('close', () => done());
  });

/** Does something so many times a second until told to stop. */
async function keepOn(perSecond: number, stop: AbortSignal, what: () => Promise<unknown>): Promise<void> {
  const underWay = new Set<Promise<unknown>>();
  while (!stop.aborted) {
    const one = what()
      .catch(() => undefined)
      .finally(() => underWay.delete(one));
    underWay.add(one);
    await pause(1000 / perSecond);
  }
  await Promise.all(underWay);
}

/** What the 95th of a hundred waits for, alone and beside somebody else, as a figure. */
function compare(what: string, alone: readonly number[], beside: readonly number[]): Measured {
  const [before, then] = [percentile(alone, 95), percentile(beside, 95)];
  return {
    figure: `${what}, p95 of a well-behaved organisation`,
    measured: `${then.toFixed(0)} ms, ${(then / before).toFixed(2)} x alone (${before.toFixed(0)} ms)`,
    mustBe: `at most ${AT_MOST} x alone`,
    ok: then / before <= AT_MOST,
  };
}

/** What one organisation feels while a stranger, with and without a link of another organisation, does the worst. */
export const isolation: Measurement = async () => {
  const folder = await mkdtemp(join(tmpdir(), 'isolation-'));
  const stack = await startLocalStack(join(__dirname, '..'), folder, ['--memory', '--instances', '40']);
  try {
    const { facts } = stack;
    const wsUrl = facts.wsUrl ?? '';
    const clients = await onboardClients(folder, facts.baseUrl, 5);
    const [other] = await onboardClients(folder, facts.baseUrl, 1);
    const share = { resourceId: other?.deviceId, shareType: 'DEVICE_STATUS', maxViewers: 100 };
    const { share: made } = (await other?.call('POST /v3/streams/share', {}, share)) as {
      share: { shareCode: string };
    };
    const attacks: Readonly<Record<string, () => Promise<unknown>>> = {
      'pages with a code that is none': () => comeAndLeave(wsUrl, 'none', Object.values(shareProtocols)),
      'viewers who come and leave': () => comeAndLeave(wsUrl, made.shareCode),
    };
    await behave(facts, clients);
    const alone = await behave(facts, clients);
    const figures: Measured[] = [];
    for (const [name, attack] of Object.entries(attacks)) {
      const stop = new AbortController();
      const attacking = keepOn(HANDSHAKES_PER_S, stop.signal, attack);
      await pause(2000);
      const beside = await behave(facts, clients).finally(() => stop.abort());
      await attacking;
      const doing = `${HANDSHAKES_PER_S} ${name} a second`;
      figures.push(compare(`first message beside ${doing}`, alone.first, beside.first));
      figures.push(compare(`change → message beside ${doing}`, alone.change, beside.change));
    }
    return figures;
  } finally {
    await stack.stop();
    await rm(folder, { recursive: true });
  }
};
