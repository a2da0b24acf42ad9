import { readFileSync, rmSync } from 'node:fs';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runCommand } from '../../outsiders/processes';
import type { Latency, Outcome } from './outcome';
import type { Target } from './target';
import { splitEndpointKey } from '../../../contract/endpoint-table';
import type { EndpointKey } from '../../../contract/endpoints';
import type { ChannelClient } from '../support/many-clients';
import { installed } from '../../outsiders/install';

/** Folder of k6: its pinned modules, and the program that it runs. */
const k6 = join(__dirname, 'k6');
/** Until enough instances of functions are warm, as in an account in use. */
const WARM_UP_SECONDS = 10;
/** What k6 may take longer than the load: its start, and the answers to the last requests. */
const EXTRA_MS = 120_000;

/** Sends requests at a steady rate. @param rate a second */
export async function loadRest(target: Target, rate: number, seconds: number): Promise<Outcome> {
  const program = await k6Program();
  const clients = await target.clients(clientsFor(rate));
  const planned = clients.map(async (client) => {
    const { jobId } = await client.api.jobs.create({ name: 'Survey', deviceGroupId: client.deviceGroupId });
    return { token: client.token, requests: requestsOf(target.baseUrl, client, jobId) };
  });
  const { requests, dropped, latencies, errors, ...report } = await runK6(program, {
    rate,
    warmUpSeconds: WARM_UP_SECONDS,
    seconds,
    clients: await Promise.all(planned),
  });
  const failed = Object.values(errors).reduce((sum, count) => sum + count, 0);
  return {
    scenario: 'rest',
    rate: { asked: rate, achieved: (requests - failed) / Math.max(seconds, report.seconds) },
    latencies: Object.fromEntries(Object.entries(latencies).map(([what, values]) => [what, latencyOf(values)])),
    expected: requests + dropped,
    errors: new Map([
      ...Object.entries(errors),
      ...(dropped > 0 ? [['not sent: two seconds’ worth of requests wait', dropped] as const] : []),
    ]),
  };
}

const latencyOf = (values: Readonly<Record<string, number>>): Latency => ({
  p50: values['p(50)'] ?? NaN,
  p90: values['p(90)'] ?? NaN,
  p95: values['p(95)'] ?? NaN,
  p99: values['p(99)'] ?? NaN,
  max: values['max'] ?? NaN,
});

/** The plan is in a file of this user only, which is removed however this process ends: it has tokens. */
async function runK6(program: string, plan: RequestPlan): Promise<RequestReport> {
  const folder = await mkdtemp(join(tmpdir(), 'load-'));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  process.once('exit', remove);
  const file = join(folder, 'plan.json');
  try {
    await writeFile(file, JSON.stringify(plan), { mode: 0o600 });
    const options = ['--quiet', '--no-usage-report', '--no-color', '--address', 'localhost:0'];
    const { stdout } = await runCommand(program, ['run', ...options, join(k6, 'requests.ts')], {
      env: { LOAD_PLAN: file },
      timeoutMs: (plan.warmUpSeconds + plan.seconds) * 1000 + EXTRA_MS,
    });
    return JSON.parse(stdout) as RequestReport;
  } finally {
    remove();
  }
}

/** The mix of ten requests: mostly reads of a job, as integrators do. */
export const requestMix: readonly EndpointKey[] = [
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

/**
 * Job creations of a client in a minute that the load makes: below the limit of 60, since windows begin with the
 * clock's minute.
 */
const CREATIONS_A_MINUTE = 50;

/** Clients that the limit of job creations takes. @param rate requests a second */
const clientsFor = (rate: number): number => Math.ceil((rate * 60) / requestMix.length / CREATIONS_A_MINUTE);

/** A request of one client. */
export interface PlannedRequest {
  readonly endpoint: string;
  readonly method: string;
  readonly url: string;
  /** JSON; null without a body. */
  readonly body: string | null;
}

/** What the program of k6 reads. Contains tokens. */
export interface RequestPlan {
  /** Requests a second. */
  readonly rate: number;
  /** Before that, at the same rate, without being counted. */
  readonly warmUpSeconds: number;
  readonly seconds: number;
  /** Each sends its requests in turn. */
  readonly clients: readonly { readonly token: string; readonly requests: readonly PlannedRequest[] }[];
}

/** What the program of k6 prints; latencies in ms by k6's names of percentiles. */
export interface RequestReport {
  readonly requests: number;
  /** Requests that were not sent, since all connections waited for answers. */
  readonly dropped: number;
  /** Until the last answer, without the warm-up. */
  readonly seconds: number;
  readonly latencies: Readonly<Record<string, Readonly<Record<string, number>>>>;
  readonly errors: Readonly<Record<string, number>>;
}

/** The mix for a client, about a job of its own. */
const requestsOf = (baseUrl: string, client: ChannelClient, jobId: string): PlannedRequest[] =>
  requestMix.map((endpoint) => {
    const { method, path } = splitEndpointKey(endpoint);
    const body = bodyOf(endpoint, client);
    return { endpoint, method, url: baseUrl + path.replace('{jobId}', jobId), body: body && JSON.stringify(body) };
  });

function bodyOf(endpoint: EndpointKey, { deviceGroupId }: ChannelClient): object | null {
  if (endpoint === 'POST /v3/jobs/create') return { name: 'Survey', deviceGroupId };
  return endpoint === 'PATCH /v3/jobs/{jobId}' ? { name: 'Survey of the north' } : null;
}

/**
 * Path of k6, which is built once, from the Go module proxy, with all modules pinned by go.sum.
 * @throws NotInstalled without Go
 */
async function k6Program(): Promise<string> {
  const contents = ['go.mod', 'go.sum'].map((file) => readFileSync(join(k6, file), 'utf8')).join('');
  const folder = await installed('k6', contents, async (into) => {
    const options = ['-mod=readonly', '-trimpath', '-o', join(into, 'k6')];
    await runCommand('go', ['build', ...options, 'go.k6.io/k6'], { cwd: k6 });
  });
  return join(folder, 'k6');
}
