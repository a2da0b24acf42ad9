import exec from 'k6/execution';
import http from 'k6/http';
import { Counter, Trend } from 'k6/metrics';
import type { PlannedRequest, RequestPlan, RequestReport } from '../rest';

/** Program of k6: sends the requests of the plan that `LOAD_PLAN` names at a constant rate, and prints a `RequestReport`. */

/** Of k6: see "Init context" and "Environment variables" in its documentation. */
declare const __ENV: { readonly LOAD_PLAN: string };
declare function open(path: string): string;

const { rate, warmUpSeconds, seconds, clients } = JSON.parse(open(__ENV.LOAD_PLAN)) as RequestPlan;
const endpoints = [...new Set(clients.flatMap(({ requests }) => requests.map(({ endpoint }) => endpoint)))];
/** 0: no answer. */
const statuses = [0, 400, 401, 403, 404, 406, 409, 410, 413, 415, 422, 429, 500, 502, 503, 504];
/** What k6 did not send since every connection waited. */
const DROPPED = 'dropped_iterations{scenario:requests}';
/** Two seconds' worth: a request that is due while so many wait for answers is not sent. */
const CONNECTIONS = Math.min(1000, 20 + 2 * rate);

const steady = { executor: 'constant-arrival-rate', rate, timeUnit: '1s', preAllocatedVUs: CONNECTIONS };

export const options = {
  scenarios: {
    warmUp: { ...steady, exec: 'warmUp', duration: `${warmUpSeconds}s`, gracefulStop: '0s' },
    requests: { ...steady, exec: 'measured', duration: `${seconds}s`, startTime: `${warmUpSeconds}s` },
  },
  // Always kept: the summary has a metric of one scenario only if a threshold is about it.
  thresholds: { [DROPPED]: ['count>=0'] },
  discardResponseBodies: true,
  summaryTrendStats: ['p(50)', 'p(90)', 'p(95)', 'p(99)', 'max'],
};

// Metrics are made before the load begins, and their names are identifiers.
const counted = new Counter('counted');
const trendsFrom = (start: string) =>
  ['all', ...endpoints.keys()].map((key) => new Trend(`from_${start}_${key}`, true));
/** Latencies of all requests, then of each endpoint. */
const fromDue = trendsFrom('due');
const fromSending = trendsFrom('sending');
const errors = endpoints.map(
  (_, index) => new Map(statuses.map((status) => [status, new Counter(`errors_${index}_${status}`)])),
);
const otherErrors = new Counter('errors_other');

/** Sends the request that is due, and counts nothing. */
export function warmUp(): void {
  const { token, request } = next();
  send(token, request);
}

/** Sends the request that is due. */
export function measured(): void {
  const { token, request } = next();
  const { iterationInTest, startTime } = exec.scenario;
  const due = startTime + (iterationInTest * 1000) / rate;
  const begin = Date.now();
  const status = send(token, request);
  const end = Date.now();
  counted.add(1);
  const endpoint = endpoints.indexOf(request.endpoint);
  for (const place of [0, endpoint + 1]) {
    fromDue[place]?.add(end - due);
    fromSending[place]?.add(end - begin);
  }
  if (status < 200 || status > 299) (errors[endpoint]?.get(status) ?? otherErrors).add(1);
}

/** Each client goes through its requests, and not all clients are at the same one. */
function next(): { readonly token: string; readonly request: PlannedRequest } {
  const { iterationInTest } = exec.scenario;
  const client = clients[iterationInTest % clients.length];
  const turn = Math.floor(iterationInTest / clients.length) + (iterationInTest % clients.length);
  const request = client?.requests[turn % client.requests.length];
  if (!client || !request) throw new Error('no request is planned');
  return { token: client.token, request };
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
  const dropped = countOf(DROPPED);
  // k6 does not say which requests it dropped, so after the first one it is not known when later ones were due.
  const trends = dropped > 0 ? 'from_sending' : 'from_due';
  const latencies = ['all', ...endpoints.keys()].map((key) => metrics[`${trends}_${key}`]?.values ?? {});
  const names = ['all requests', ...endpoints];
  const report: RequestReport = {
    requests: countOf('counted'),
    dropped,
    seconds: state.testRunDurationMs / 1000 - warmUpSeconds,
    latencies: Object.fromEntries(names.map((name, place) => [name, latencies[place] ?? {}])),
    errors: Object.fromEntries(
      [...found, ['another status', countOf('errors_other')] as const].filter(([, count]) => count > 0),
    ),
  };
  return { stdout: JSON.stringify(report) };
}
