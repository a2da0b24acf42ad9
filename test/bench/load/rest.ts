import { rmSync } from 'node:fs';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runCommand } from '../../outsiders/command';
import { k6Program } from './k6/program';
import type { Latency, Outcome } from './outcome';
import { clientsFor, requestsOf, type RequestPlan, type RequestReport } from './request-plan';
import type { Target } from './target';

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
    const { stdout } = await runCommand(program, ['run', ...options, join(__dirname, 'k6/requests.ts')], {
      env: { LOAD_PLAN: file },
      timeoutMs: (plan.warmUpSeconds + plan.seconds) * 1000 + EXTRA_MS,
    });
    return JSON.parse(stdout) as RequestReport;
  } finally {
    remove();
  }
}
