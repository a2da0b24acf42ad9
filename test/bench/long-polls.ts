import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { waitUntil } from './support/followers';
import { percentile, type Measurement } from './support/figure';
import { startLocalStack } from './support/local-stack';
import { onboardClients, type ChannelClient } from './support/many-clients';
import { serviceApp, serviceStack } from './support/service-app';

const root = join(__dirname, '../..');
/** In the project, since the bundles leave some modules to the runtime. */
const assembly = join(root, 'cdk.out', 'long-polls');

/** All seats of the deployment, and those of one client. */
const SEATS = 20;
const SEATS_OF_CLIENT = 5;
/** Rounds without and with waiting calls take turns, since the machine's speed varies. */
const ROUNDS = 6;
/** Requests to each endpoint in a round, one after another, and the pause between them in ms. */
const REQUESTS = 40;
const PAUSE_MS = 5;
const MAX_RATIO = 1.2;
const MAX_AT_ONCE_MS = 1000;
/** The reads of the function that holds the calls are beside the others: 120 of a client are admitted in a minute. */
const paths = ['/v3/jobs', '/v3/resources', '/v3/shares', '/v3/limits', '/v3/events'];
const READERS = 12;

/** Clients of an organisation whose calls wait, and of another. */
interface Setup {
  readonly baseUrl: string;
  readonly waiters: readonly ChannelClient[];
  readonly readers: readonly ChannelClient[];
}

const get = async (baseUrl: string, { token }: ChannelClient, path: string) => {
  const response = await fetch(baseUrl + path, { headers: { authorization: `Bearer ${token}` } });
  await response.arrayBuffer();
  return response.status;
};

/** Takes all seats. @returns gives them back, by an event that ends the calls */
async function holdCalls({ baseUrl, waiters }: Setup): Promise<() => Promise<void>> {
  let isOver = false;
  let held = 0;
  const hold = async (client: ChannelClient) => {
    while (!isOver) {
      held += 1;
      const status = await get(baseUrl, client, '/v3/events?wait=20').finally(() => (held -= 1));
      if (status !== 200) throw new Error(`a call that waits was answered with ${status}`);
    }
  };
  const calls = waiters.flatMap((client) => Array.from({ length: SEATS_OF_CLIENT }, () => hold(client)));
  const all = Promise.all(calls);
  all.catch(() => undefined);
  await waitUntil(() => held === SEATS);
  // Until the last of them has its seat.
  await pause(3000);
  return async () => {
    isOver = true;
    const [client] = waiters;
    await client?.api.jobs.create({ name: 'Survey', deviceGroupId: client.deviceGroupId });
    await all;
  };
}

/** Times of requests to all endpoints in turn, in ms. */
async function readTimes({ baseUrl, readers }: Setup): Promise<number[]> {
  const times: number[] = [];
  for (let request = 0; request < REQUESTS; request++) {
    for (const path of paths) {
      const reader = readers[request % readers.length];
      if (!reader) throw new Error('no client was onboarded');
      const begin = performance.now();
      const status = await get(baseUrl, reader, path);
      if (status !== 200) throw new Error(`GET ${path} was answered with ${status}`);
      times.push(performance.now() - begin);
      await pause(PAUSE_MS);
    }
  }
  return times;
}

/** Latency of everybody else while as many calls wait as may in all. */
export const longPolls: Measurement = async () => {
  const folder = await mkdtemp(join(tmpdir(), 'long-polls-'));
  const app = serviceApp(assembly, { maxWaitingCalls: SEATS });
  serviceStack(app);
  app.synth();
  const stack = await startLocalStack(root, folder, ['--memory', '--quotas', '--app', assembly]);
  try {
    const { baseUrl } = stack.facts;
    const waiters = await onboardClients(folder, baseUrl, SEATS / SEATS_OF_CLIENT);
    const setup = { baseUrl, waiters, readers: await onboardClients(folder, baseUrl, READERS) };
    const [beyond] = setup.readers;
    if (!beyond) throw new Error('no client was onboarded');
    const times = { without: [] as number[], beside: [] as number[] };
    const atOnce: number[] = [];
    await readTimes(setup);
    for (let round = 0; round < ROUNDS; round++) {
      times.without.push(...(await readTimes(setup)));
      const release = await holdCalls(setup);
      times.beside.push(...(await readTimes(setup)));
      const begin = performance.now();
      await get(baseUrl, beyond, '/v3/events?wait=20');
      atOnce.push(performance.now() - begin);
      await release();
    }
    const [without, beside] = [percentile(times.without, 95), percentile(times.beside, 95)];
    return [
      {
        figure: `p95 of other requests while all ${SEATS} seats of waiting calls are taken`,
        measured: `${beside.toFixed(0)} ms, ${(beside / without).toFixed(2)} x without (${without.toFixed(0)} ms)`,
        mustBe: `at most ${MAX_RATIO} x without`,
        ok: beside / without <= MAX_RATIO,
      },
      {
        figure: 'answer of a call beyond them, which may wait for 20 s',
        measured: `at most ${Math.max(...atOnce).toFixed(0)} ms`,
        mustBe: `at most ${MAX_AT_ONCE_MS} ms`,
        ok: Math.max(...atOnce) <= MAX_AT_ONCE_MS,
      },
    ];
  } finally {
    await stack.stop();
    for (const each of [folder, assembly]) await rm(each, { recursive: true, force: true });
  }
};
