import exec from 'k6/execution';
import http from 'k6/http';
import { Counter, Trend } from 'k6/metrics';
import type { PlannedRequest, RequestPlan, RequestReport } from '../request-plan';

/** Program of k6: sends the requests of the plan that `LOAD_PLAN` names at a constant rate, and prints a `RequestReport`. */

/** Of k6: see "Init context" and "Environment variables" in its documentation. */
declare const __ENV: { readonly LOAD_PLAN: string };
declare function open(path: string): string;

const { rate, warmUpSeconds, seconds, clients } = JSON.parse(open(__ENV.LOAD_PLAN)) as RequestPlan;
const endpoints = [...new Set(clients.flatMap(({ requests }) => requests.map(({ endpoint }) => endpoint)))];
/** 0: no answer. */
const statuses = [0, 400, 401, 403, 404, 406, 409, 410, 413, 415, 422, 429, 500, 502, 503, 504];
/** Connections are made before the load begins; a request that is due while all of them wait counts as dropped. */
const CONNECTIONS = Math.min(600, 20 + 2 * rate);

export const options = {
  scenarios: {
    requests: {
      executor: 'constant-arrival-rate',
      rate,
      timeUnit: '1s',
      duration: `${warmUpSeconds + seconds}s`,
      preAllocatedVUs: CONNECTIONS,
    },
  },
  discardResponseBodies: true,
  summaryTrendStats: ['p(50)', 'p(90)', 'p(95)', 'p(99)', 'max'],
};

// Metrics are made before the load begins, and their names are identifiers.
const counted = new Counter('counted');
const latencyOfAll = new Trend('latency', true);
const latencies = endpoints.map((_, index) => new Trend(`latency_${index}`, true));
const errors = endpoints.map(
  (_, index) => new Map(statuses.map((status) => [status, new Counter(`errors_${index}_${status}`)])),
);
const otherErrors = new Counter('errors_other');

/** Sends the request that is due. */
export default function sendNext(): void {
  const { iterationInTest, startTime } = exec.scenario;
  const due = startTime + (iterationInTest * 1000) / rate;
  const client = clients[iterationInTest % clients.length];
  // Each client goes through its requests, and not all clients are at the same one.
  const turn = Math.floor(iterationInTest / clients.length) + iterationInTest;
  const request = client?.requests[turn % client.requests.length];
  if (!client || !request) throw new Error('no request is planned');
  const status = send(client.token, request);
  if (due < startTime + warmUpSeconds * 1000) return;
  const latency = Date.now() - due;
  counted.add(1);
  const endpoint = endpoints.indexOf(request.endpoint);
  latencyOfAll.add(latency);
  latencies[endpoint]?.add(latency);
  if (status < 200 || status > 299) (errors[endpoint]?.get(status) ?? otherErrors).add(1);
}

function send(token: string, { endpoint, method, url, body }: PlannedRequest): number {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  return http.request(method, url, body, { headers, tags: { name: endpoint }, timeout: '30s' }).status;
}

/** What k6 collected of a metric; one without values is not there. */
type Metrics = Readonly<Record<string, { readonly values: Readonly<Record<string, number>> } | undefined>>;

interface Summary {
  readonly metrics: Metrics;
  readonly state: { readonly testRunDurationMs: number };
}

/** k6 prints what it returns as `stdout`. */
export function handleSummary({ metrics, state }: Summary): { readonly stdout: string } {
  const countOf = (name: string) => metrics[name]?.values['count'] ?? 0;
  const found = endpoints.flatMap((endpoint, index) => [
    ...statuses.map(
      (status) => [`${endpoint}: ${status || 'no answer'}`, countOf(`errors_${index}_${status}`)] as const,
    ),
  ]);
  const ofEndpoints = endpoints.map(
    (endpoint, index) => [endpoint, metrics[`latency_${index}`]?.values ?? {}] as const,
  );
  const report: RequestReport = {
    requests: countOf('counted'),
    dropped: countOf('dropped_iterations'),
    seconds: state.testRunDurationMs / 1000 - warmUpSeconds,
    latencies: { 'all requests': metrics['latency']?.values ?? {}, ...Object.fromEntries(ofEndpoints) },
    errors: Object.fromEntries(
      [...found, ['another status', countOf('errors_other')] as const].filter(([, count]) => count > 0),
    ),
  };
  return { stdout: JSON.stringify(report) };
}
