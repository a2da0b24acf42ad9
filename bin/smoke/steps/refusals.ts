import { endpointTable, splitEndpointKey } from '../../../contract/endpoint-table';
import { permits } from '../../../contract/terms/scopes';
import type { EndpointKey } from '../../../contract/endpoints';
import { channels } from '../../../contract/channels/status-channels';
import { createResource } from '../create-resource';
import { call, expectRefusal, expectThat, send } from '../api-calls';
import { expectRefusedHandshake } from '../handshake';
import type { Step } from '../step';
import type { SmokeContext } from '../smoke-context';
import { inOneLine, Unexpected } from '../errors';
import { unknownId } from '../unknown-id';
import { newToken, scopesIn } from './token';

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
