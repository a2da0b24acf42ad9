import { endpointTable, splitEndpointKey } from '../../../contract/endpoint-table';
import { permits } from '../../../contract/terms/scopes';
import { type EndpointKey, endpoints } from '../../../contract/endpoints';
import { channels } from '../../../contract/channels/status-channels';
import { createResource } from '../create-resource';
import { call, expectRefusal, expectThat, send, expectRefusedHandshake, unknownId } from '../api-calls';
import type { Step, SmokeContext } from '../smoke-context';
import { inOneLine, Unexpected } from '../errors';
import { newToken, scopesIn } from './token';
import type { Answer } from '../../client/rest-client';

const keys = Object.keys(endpointTable) as EndpointKey[];

const withToken = (context: SmokeContext) => ({ authorization: `Bearer ${context.get('token')}` });

async function unauthorized(context: SmokeContext, token: string | null): Promise<undefined> {
  const answer = await call(context, 'GET /v3/jobs', { token });
  expectRefusal(answer, 401, 'Unauthorized');
  const given = answer.headers.get('www-authenticate');
  const challenge = token === null ? 'Bearer' : 'Bearer error="invalid_token"';
  expectThat(given === challenge, `WWW-Authenticate: ${challenge}`, () => String(given));
}

const unauthorizedHandshake = (context: SmokeContext) =>
  expectRefusedHandshake(context, channels.job.path.replace('{id}', 'none'), 401);

async function outsideTheScopes(context: SmokeContext): Promise<string> {
  const { narrowClient } = context.target;
  if (!narrowClient) throw new Unexpected('a client with fewer scopes', 'none');
  const token = await newToken(context, narrowClient);
  context.set('narrowToken', token);
  const held = scopesIn(token);
  const closed = keys.filter((key) => {
    const endpoint = endpointTable[key];
    return endpoint.scope !== null && !permits(endpoint, held);
  });
  const key = closed.find((one) => one.startsWith('GET ')) ?? closed[0];
  if (key === undefined) throw new Unexpected('a client with fewer scopes', 'one that holds all');
  expectRefusal(await call(context, key, { token }), 403, 'Forbidden');
  return key;
}

async function unknownJob(context: SmokeContext): Promise<undefined> {
  const jobId = unknownId(context.get('job').jobId);
  expectRefusal(await call(context, 'GET /v3/jobs/{jobId}', { path: { jobId } }), 404, 'Job not found');
}

/**
 * The form of a dispatch that can't start a flight: its mission does not exist, so there is no place to fly to, nor
 * does its group, so there is no drone. One that succeeds would send the nearest drone.
 */
async function unknownMission(context: SmokeContext): Promise<undefined> {
  const missionId = unknownId(context.get('mission').missionId);
  const deviceGroupId = unknownId(context.get('fleet').deviceGroupId);
  const body = { name: 'Smoke test', missionId, deviceGroupId };
  expectRefusal(await createResource(context, 'POST /v3/jobs/dispatch', body), 404, 'Mission not found');
}

async function unknownPath(context: SmokeContext): Promise<undefined> {
  const answer = await send(context, 'GET', '/v3/nothing', { headers: withToken(context), body: undefined });
  expectRefusal(answer, 404, 'Not found');
}

async function otherMethod(context: SmokeContext): Promise<undefined> {
  const { path } = splitEndpointKey('GET /v3/jobs/{jobId}');
  const headers = withToken(context);
  const answer = await send(context, 'PUT', path.replace('{jobId}', 'none'), { headers, body: {} });
  expectRefusal(answer, 405, 'Method not allowed');
  const promised = keys.map(splitEndpointKey).filter((route) => route.path === path);
  const allowed = sorted(promised.map(({ method }) => method));
  const actual = sorted((answer.headers.get('allow') ?? '').split(', '));
  expectThat(actual === allowed, `Allow: ${allowed}`, () => `Allow: ${actual}`);
}

const sorted = (methods: readonly string[]) => [...methods].sort().join(', ');

async function unknownField(context: SmokeContext): Promise<undefined> {
  const { deviceGroupId } = context.get('fleet');
  const body = { name: 'Smoke test', deviceGroupId, sheduledAt: new Date().toISOString() };
  const answer = await createResource(context, 'POST /v3/jobs/create', body);
  expectRefusal(answer, 400, 'invalid_request');
  const named = JSON.stringify(answer.body).includes('sheduledAt');
  expectThat(named, 'details that name sheduledAt', () => inOneLine(answer));
}

export const refusalSteps: readonly Step[] = [
  { name: '401 without a token', run: (context) => unauthorized(context, null) },
  { name: '401 for an invalid token', run: (context) => unauthorized(context, 'not-a-token') },
  { name: 'no socket without a token', part: 'wss', run: unauthorizedHandshake },
  { name: '403 outside the scopes', part: 'scopes', run: outsideTheScopes },
  { name: '404 for an unknown job', run: unknownJob },
  { name: '404 for a dispatch of an unknown mission', run: unknownMission },
  { name: '404 for an unknown path', run: unknownPath },
  { name: '405 with Allow', run: otherMethod },
  { name: '400 for an unknown field', run: unknownField },
];

const LIMITED_KEY = 'POST /v3/streams/share';

/** The lowest limit of all endpoints, in calls per clock minute (spec section 8). */
const { perMinute } = endpoints[LIMITED_KEY];

/** The calls span at most two minutes, one of which then exceeds the limit. */
const MAX_CALLS = 2 * perMinute + 1;

const CONCURRENT_CALLS = 8;

/** Calls refused with 400 count too, and create nothing. */
async function exceedLimit(context: SmokeContext): Promise<string> {
  for (let sent = 0; sent < MAX_CALLS; sent += CONCURRENT_CALLS) {
    const calls = Array.from({ length: CONCURRENT_CALLS }, () => createResource(context, LIMITED_KEY, {}));
    const answers = await Promise.all(calls);
    const limited = answers.find(({ status }) => status === 429);
    if (limited) {
      expectLimited(limited);
      return `wait ${limited.headers.get('retry-after')} s before the next run`;
    }
    for (const answer of answers) expectRefusal(answer, 400, 'invalid_request');
  }
  throw new Unexpected('429 beyond the limit', `${MAX_CALLS} answers without it`);
}

function expectLimited(answer: Answer): void {
  expectRefusal(answer, 429, 'Too many requests');
  const [limit, remaining, wait] = ['x-ratelimit-limit', 'x-ratelimit-remaining', 'retry-after'].map((name) =>
    Number(answer.headers.get(name) ?? 'none'),
  ) as [number, number, number];
  const holds = limit === perMinute && remaining === 0 && wait >= 1 && wait <= 60;
  const expected = `X-RateLimit-Limit: ${perMinute}, X-RateLimit-Remaining: 0 and Retry-After of at most 60`;
  expectThat(holds, expected, () => `${limit}, ${remaining}, ${wait} with ${inOneLine(answer)}`);
}

export const limitSteps: readonly Step[] = [{ name: '429 beyond the limit', part: 'limits', run: exceedLimit }];
