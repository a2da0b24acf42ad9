import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { attacksOn, repeatUntilAborted } from './support/attacks';
import { follow, waitUntil } from './support/channel-listeners';
import { percentile, type Measured, type Measurement } from './support/figure';
import { startLocalStack } from './support/local-stack';
import { onboardClients, type ChannelClient } from './support/many-clients';

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
