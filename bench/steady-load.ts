import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Pool } from 'undici';
import { routeOf } from '../contract/access';
import type { EndpointKey } from '../contract/endpoints';
import { percentile, type Measured, type Measurement } from './figure';
import { startLocalStack } from './local-stack';
import { onboardClients, type ChannelClient } from './many-clients';
import { residentMegabytes } from './resident-memory';

const PER_SECOND = 200;
const SECONDS = 60;
const WARM_UP_SECONDS = 10;
/** Each of these has five clients: a client may create a job a second, and a tenth of the requests are that. */
const ORGANISATIONS = 8;
const P99_MS = 250;
/** So much more memory than before is where it was: it is never the same twice. */
const MEMORY_RATIO = 1.15;
const SETTLED_WITHIN_MS = 60_000;

/** A client and the job that it made last. */
interface Worker {
  readonly client: ChannelClient;
  jobId: string | undefined;
}

/** What one of ten requests is: what integrators do most, read the job that they watch. */
const mix: readonly EndpointKey[] = [
  'POST /v3/jobs/create',
  'GET /v3/jobs/{jobId}',
  'GET /v3/jobs',
  'GET /v3/jobs/{jobId}',
  'PATCH /v3/jobs/{jobId}',
  'GET /v3/jobs/{jobId}',
  'GET /v3/resources',
  'GET /v3/jobs',
  'GET /v3/jobs/{jobId}',
  'GET /v3/shares',
];

const bodies: Partial<Record<EndpointKey, (worker: Worker) => object>> = {
  'POST /v3/jobs/create': ({ client }) => ({ name: 'Survey', deviceGroupId: client.deviceGroupId }),
  'PATCH /v3/jobs/{jobId}': () => ({ name: 'Survey of the north' }),
};

interface Outcome {
  /** From the moment that it was due, in ms, whether or not it could be sent then. */
  readonly latencies: number[];
  /** Status or error, and how often. */
  readonly errors: Map<string, number>;
}

async function send(pool: Pool, key: EndpointKey, worker: Worker): Promise<string | undefined> {
  const { method, path } = routeOf(key);
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

/** Sends at a steady pace, whatever becomes of the answers: those that are late hold nothing up. */
async function load(pool: Pool, workers: readonly Worker[], seconds: number): Promise<Outcome> {
  const outcome: Outcome = { latencies: [], errors: new Map() };
  const underWay: Promise<void>[] = [];
  const begin = performance.now();
  for (let count = 0; count < seconds * PER_SECOND; count++) {
    const due = begin + (count * 1000) / PER_SECOND;
    if (due > performance.now()) await pause(due - performance.now());
    const worker = workers[count % workers.length];
    // Workers take turns with each kind of request; one that has no job yet makes one.
    const wanted = mix[Math.floor(count / workers.length + count) % mix.length];
    if (!worker || !wanted) throw new Error('nobody to send');
    const key = worker.jobId === undefined ? 'POST /v3/jobs/create' : wanted;
    const one = send(pool, key, worker)
      .catch((error: unknown) => (error instanceof Error ? error.message : 'unknown'))
      .then((error) => {
        outcome.latencies.push(performance.now() - due);
        if (error !== undefined) outcome.errors.set(error, (outcome.errors.get(error) ?? 0) + 1);
      });
    underWay.push(one);
  }
  await Promise.all(underWay);
  return outcome;
}

/** The least that a process needs within a minute. */
async function settled(pid: number, enough: number): Promise<number> {
  const deadline = performance.now() + SETTLED_WITHIN_MS;
  let least = residentMegabytes(pid);
  while (least > enough && performance.now() < deadline) {
    await pause(1000);
    least = Math.min(least, residentMegabytes(pid));
  }
  return least;
}

/** What partners feel when they all ask, steadily, for a minute. */
export const steadyLoad: Measurement = async () => {
  const folder = await mkdtemp(join(tmpdir(), 'steady-load-'));
  const stack = await startLocalStack(join(__dirname, '..'), folder, ['--memory']);
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
    const after = await settled(stack.pid, before * MEMORY_RATIO);
    const [half, most, worst] = [50, 99, 100].map((percent) => percentile(latencies, percent));
    const failed = [...errors].map(([error, count]) => `${count} × ${error}`).join(', ');
    const asked = `${PER_SECOND} requests a second for ${SECONDS} s`;
    return [
      { figure: `${asked}: errors`, measured: failed || 'none', mustBe: 'none', ok: errors.size === 0 },
      {
        figure: `${asked}: p99`,
        measured: `${most?.toFixed(0)} ms (median ${half?.toFixed(0)}, worst ${worst?.toFixed(0)})`,
        mustBe: `under ${P99_MS} ms`,
        ok: (most ?? Infinity) < P99_MS,
      },
      {
        figure: `${asked}: memory within a minute`,
        measured: `${after.toFixed(0)} MB, ${(after / before).toFixed(2)} x before (${before.toFixed(0)} MB)`,
        mustBe: `at most ${MEMORY_RATIO} x before`,
        ok: after / before <= MEMORY_RATIO,
      },
    ] satisfies Measured[];
  } finally {
    await pool.close();
    await stack.stop();
    await rm(folder, { recursive: true });
  }
};
