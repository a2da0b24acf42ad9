import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { logCalls } from './support/event-log-calls';
import { logCeiling } from './support/event-log-ceiling';
import { median, percentile, type Measured, type Measurement } from './support/figure';
import { startLocalStack, type LocalStack } from './support/local-stack';
import { onboardClients, type ChannelClient } from './support/many-clients';

const root = join(__dirname, '../..');

const CLIENTS = 4;
/** Calls that wait for a change. */
const WAITING = 60;
const MAX_WAITING_MS = 400;

const ms = (value: number) => `${value.toFixed(0)} ms`;

/** Time from sending a change to the answer of a call that waits for it. */
async function waiting({ dataFolder, facts: { baseUrl } }: LocalStack): Promise<Measured[]> {
  const clients = await onboardClients(dataFolder, baseUrl, CLIENTS);
  const read = async ({ token }: ChannelClient, query: string) => {
    const response = await fetch(`${baseUrl}/v3/events?${query}`, {
      headers: { authorization: `Bearer ${token}` },
    });
    if (!response.ok) throw new Error(`GET /v3/events answered ${response.status}: ${await response.text()}`);
    return (await response.json()) as { readonly count: number; readonly cursor: string };
  };
  const times: number[] = [];
  for (let round = 0; round < WAITING; round++) {
    const client = clients[round % clients.length];
    if (!client) throw new Error('no client was onboarded');
    const { jobId } = await client.api.jobs.create({ name: 'Survey', deviceGroupId: client.deviceGroupId });
    // The creation is an event too: until it has passed.
    await pause(300);
    const { cursor } = await read(client, '');
    const answer = read(client, `after=${cursor}&wait=20`).then(({ count }) => ({ count, at: performance.now() }));
    // Anywhere between two looks at the log.
    await pause(100 + Math.random() * 300);
    const begin = performance.now();
    await client.api.jobs.update(jobId, { status: 'QUEUED' });
    const { count, at } = await answer;
    if (count !== 1) throw new Error(`the waiting call answered with ${count} events`);
    times.push(at - begin);
  }
  const p95 = percentile(times, 95);
  return [
    {
      figure: 'change → answer of a waiting GET /v3/events',
      measured: `median ${ms(median(times))}, p95 ${ms(p95)}, at most ${ms(Math.max(...times))} of ${WAITING}`,
      mustBe: `p95 under ${MAX_WAITING_MS} ms`,
      ok: p95 < MAX_WAITING_MS,
    },
  ];
}

/** The event log: how soon a call that waits has a change, its calls, and how many events an organisation may have. */
export const eventLog: Measurement = async () => {
  const folder = await mkdtemp(join(tmpdir(), 'event-log-'));
  try {
    const stack = await startLocalStack(root, join(folder, 'data'), ['--memory']);
    const measured: Measured[] = [];
    try {
      measured.push(...(await waiting(stack)));
    } finally {
      await stack.stop();
    }
    return [...measured, ...(await logCalls()), ...(await logCeiling(folder))];
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};
