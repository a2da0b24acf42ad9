import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { attacksOn, keepOn } from './attacks';
import { follow, until } from './channel-listeners';
import { percentile, type Measured, type Measurement } from './figure';
import { startLocalStack } from './local-stack';
import { onboardClients, type ChannelClient } from './many-clients';

/** How long a well-behaved organisation goes on alone, and how long it pauses between two rounds, in ms. */
const ALONE_MS = 15_000;
const PAUSE_MS = 200;
/** Beside somebody else it is measured for a minute, so that each limit of a minute counts with all that it allows. */
const BESIDE_MS = 60_000;
/** Before that so long, in ms: then as many instances of functions are warm as it takes, as in an account that is in use. */
const WARM_UP_MS = 10_000;
/** After it so long, in ms, until nothing of it is under way. */
const CALM_MS = 3000;
/** Handshakes, or commands, a second. */
const HANDSHAKES_PER_S = 60;
const AT_MOST = 2;
/** Who has heard nothing for so long counts as if it had heard then. */
const GIVEN_UP_MS = 30_000;

interface Times {
  /** From the handshake to the first message, and from a change to the message of it; ms. */
  readonly first: number[];
  readonly change: number[];
}

/** A well-behaved organisation follows a new job and changes it, again and again, for so many ms. */
async function behave(
  wsFacts: Parameters<typeof follow>[0],
  clients: readonly ChannelClient[],
  durationMs: number,
): Promise<Times> {
  const times: Times = { first: [], change: [] };
  const deadline = performance.now() + durationMs;
  for (let round = 0; performance.now() < deadline; round++) {
    const client = clients[round % clients.length];
    if (!client) throw new Error('nobody was onboarded');
    const body = { name: 'Survey', deviceGroupId: client.deviceGroupId };
    const { job } = (await client.call('POST /v3/jobs/create', {}, body)) as { job: { jobId: string } };
    const begin = performance.now();
    const listener = await follow(wsFacts, client, { kind: 'job', id: job.jobId }).catch(() => undefined);
    if (!listener) {
      times.first.push(GIVEN_UP_MS);
      continue;
    }
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

const together = (one: Times, other: Times): Times => ({
  first: [...one.first, ...other.first],
  change: [...one.change, ...other.change],
});

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

/** What one organisation feels while a stranger, or another one, does the worst that its limits allow. */
export const isolation: Measurement = async () => {
  const folder = await mkdtemp(join(tmpdir(), 'isolation-'));
  const stack = await startLocalStack(join(__dirname, '..'), folder, ['--memory', '--instances', '40']);
  try {
    const { facts } = stack;
    const clients = await onboardClients(folder, facts.baseUrl, 5);
    const [partner] = await onboardClients(folder, facts.baseUrl, 1);
    const [suspended] = await onboardClients(folder, facts.baseUrl, 1);
    if (!partner || !suspended) throw new Error('nobody was onboarded');
    await behave(facts, clients, ALONE_MS);
    const figures: Measured[] = [];
    for await (const attack of attacksOn(stack, [partner, suspended], HANDSHAKES_PER_S)) {
      // Anew for each, before and after it: a machine is faster at one time than at another.
      const before = await behave(facts, clients, ALONE_MS);
      const stop = new AbortController();
      const attacking = keepOn(attack, stop.signal);
      await behave(facts, clients, WARM_UP_MS);
      const beside = await behave(facts, clients, BESIDE_MS).finally(() => stop.abort());
      await attacking;
      await pause(CALM_MS);
      const alone = together(before, await behave(facts, clients, ALONE_MS));
      const doing = `${attack.perSecond} ${attack.what} a second`;
      const found = [
        compare(`first message beside ${doing}`, alone.first, beside.first),
        compare(`change → message beside ${doing}`, alone.change, beside.change),
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
