import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Pool } from 'undici';
import { splitEndpointKey } from '../../contract/endpoint-table';
import type { EndpointKey } from '../../contract/endpoints';
import { percentile, type Measured, type Measurement } from './support/figure';
import { requestMix } from './load/rest';
import { startLocalStack } from './support/local-stack';
import { onboardClients, type ChannelClient } from './support/many-clients';
import { residentMegabytes } from './support/process-usage';

const PER_SECOND = 200;
const SECONDS = 60;
const WARM_UP_SECONDS = 10;
/** Each has five clients: a client may create a job a second, and a tenth of the requests do. */
const ORGANISATIONS = 8;
const MAX_P99_MS = 250;
/** Memory up to this ratio counts as unchanged: it always varies. */
const MAX_MEMORY_RATIO = 1.15;
const SETTLE_TIMEOUT_MS = 60_000;

/** A client and its latest job. */
interface Worker {
  readonly client: ChannelClient;
  jobId: string | undefined;
}

const bodies: Partial<Record<EndpointKey, (worker: Worker) => object>> = {
  'POST /v3/jobs/create': ({ client }) => ({ name: 'Survey', deviceGroupId: client.deviceGroupId }),
  'PATCH /v3/jobs/{jobId}': () => ({ name: 'Survey of the north' }),
};

interface Outcome {
  /** In ms from when the request was due, even if it could not be sent then. */
  readonly latencies: number[];
  /** Count by status or error. */
  readonly errors: Map<string, number>;
}

async function send(pool: Pool, key: EndpointKey, worker: Worker): Promise<string | undefined> {
  const { method, path } = splitEndpointKey(key);
  const body = bodies[key]?.(worker);
  const { statusCode, body: answer } = await pool.request({
    method: method,
    path: path.replace('{jobId}', worker.jobId ?? ''),
    headers: { authorization: `Bearer ${worker.client.token}`, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  if (statusCode > 299) return `${key} ${statusCode}`;
  if (key === 'POST /v3/jobs/create') worker.jobId = (JSON.parse(text) as { job: { jobId: string } }).job.jobId;
  return undefined;
}

/** Open-loop load: sends at a steady rate, whether or not earlier requests were answered. */
async function load(pool: Pool, workers: readonly Worker[], seconds: number): Promise<Outcome> {
  const outcome: Outcome = { latencies: [], errors: new Map() };
  const pending: Promise<void>[] = [];
  const begin = performance.now();
  for (let count = 0; count < seconds * PER_SECOND; count++) {
    const due = begin + (count * 1000) / PER_SECOND;
    if (due > performance.now()) await pause(due - performance.now());
    const worker = workers[count % workers.length];
    // Each worker goes through the mix; one without a job creates one first.
    const wanted = requestMix[Math.floor(count / workers.length + count) % requestMix.length];
    if (!worker || !wanted) throw new Error('no worker to send');
    const key = worker.jobId === undefined ? 'POST /v3/jobs/create' : wanted;
    const one = send(pool, key, worker)
      .catch((error: unknown) => (error instanceof Error ? error.message : 'unknown'))
      .then((error) => {
        outcome.latencies.push(performance.now() - due);
        if (error !== undefined) outcome.errors.set(error, (outcome.errors.get(error) ?? 0) + 1);
      });
    pending.push(one);
  }
  await Promise.all(pending);
  return outcome;
}

/** The lowest memory of a process within a minute. */
async function lowestMemory(pid: number, enough: number): Promise<number> {
  const deadline = performance.now() + SETTLE_TIMEOUT_MS;
  let least = residentMegabytes(pid);
  while (least > enough && performance.now() < deadline) {
    await pause(1000);
    least = Math.min(least, residentMegabytes(pid));
  }
  return least;
}

/** Latency and errors when all partners send requests, steadily, for a minute. */
export const steadyLoad: Measurement = async () => {
  const folder = await mkdtemp(join(tmpdir(), 'steady-load-'));
  const stack = await startLocalStack(join(__dirname, '../..'), folder, ['--memory']);
  const pool = new Pool(stack.facts.baseUrl, { connections: 64 });
  try {
    const workers: Worker[] = [];
    for (let count = 0; count < ORGANISATIONS; count++) {
      const clients = await onboardClients(folder, stack.facts.baseUrl, 5);
      workers.push(...clients.map((client) => ({ client, jobId: undefined })));
    }
    await load(pool, workers, WARM_UP_SECONDS);
    await pause(5000);
    const before = residentMegabytes(stack.pid);
    const { latencies, errors } = await load(pool, workers, SECONDS);
    const after = await lowestMemory(stack.pid, before * MAX_MEMORY_RATIO);
    const [half, most, worst] = [50, 99, 100].map((percent) => percentile(latencies, percent));
    const failed = [...errors].map(([error, count]) => `${count} × ${error}`).join(', ');
    const asked = `${PER_SECOND} requests a second for ${SECONDS} s`;
    return [
      { figure: `${asked}: errors`, measured: failed || 'none', mustBe: 'none', ok: errors.size === 0 },
      {
        figure: `${asked}: p99`,
        measured: `${most?.toFixed(0)} ms (median ${half?.toFixed(0)}, worst ${worst?.toFixed(0)})`,
        mustBe: `under ${MAX_P99_MS} ms`,
        ok: (most ?? Infinity) < MAX_P99_MS,
      },
      {
        figure: `${asked}: memory within a minute`,
        measured: `${after.toFixed(0)} MB, ${(after / before).toFixed(2)} x before (${before.toFixed(0)} MB)`,
        mustBe: `at most ${MAX_MEMORY_RATIO} x before`,
        ok: after / before <= MAX_MEMORY_RATIO,
      },
    ] satisfies Measured[];
  } finally {
    await pool.close();
    await stack.stop();
    await rm(folder, { recursive: true });
  }
};
