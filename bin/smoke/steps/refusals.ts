import { endpointTable, routeOf } from '../../../contract/access';
import type { EndpointKey } from '../../../contract/endpoints';
import { channels } from '../../../contract/channels';
import { create } from '../creation';
import { call, expectRefusal, expectThat, send } from '../endpoint';
import { expectRefusedHandshake } from '../handshake';
import type { Step } from '../step';
import type { Story } from '../story';
import { inOneLine, Unexpected } from '../unexpected';
import { newToken } from './token';

const keys = Object.keys(endpointTable) as EndpointKey[];

const withToken = (story: Story) => ({ authorization: `Bearer ${story.take('token')}` });

async function unauthorized(story: Story, token: string | null): Promise<undefined> {
  const answer = await call(story, 'GET /v3/jobs', { token });
  expectRefusal(answer, 401, 'Unauthorized');
  const scheme = answer.headers.get('www-authenticate');
  expectThat(scheme === 'Bearer', 'WWW-Authenticate: Bearer', () => String(scheme));
}

const unauthorizedHandshake = (story: Story) =>
  expectRefusedHandshake(story, channels.job.path.replace('{id}', 'none'), 401);

/** What a token may do, from its own claims: `<resource server>/<scope>` each. */
function scopesIn(token: string): readonly string[] {
  const claims: unknown = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString() || '{}');
  const held = typeof claims === 'object' && claims !== null && 'scope' in claims ? String(claims.scope) : '';
  return held.split(' ').map((scope) => scope.slice(scope.lastIndexOf('/') + 1));
}

async function outsideTheScopes(story: Story): Promise<string> {
  const { narrowClient } = story.target;
  if (!narrowClient) throw new Unexpected('a client with fewer scopes', 'none');
  const token = await newToken(story, narrowClient);
  const held = scopesIn(token);
  const closed = keys.filter((key) => !held.includes(endpointTable[key].scope ?? '') && endpointTable[key].scope);
  const key = closed.find((one) => one.startsWith('GET ')) ?? closed[0];
  if (key === undefined) throw new Unexpected('a client with fewer scopes', 'one that holds all');
  expectRefusal(await call(story, key, { token }), 403, 'Forbidden');
  return key;
}

async function unknownJob(story: Story): Promise<undefined> {
  // Of the right form, so that it is looked for.
  const jobId = story.take('job').jobId.replace(/.{6}$/, '000000');
  expectRefusal(await call(story, 'GET /v3/jobs/{jobId}', { path: { jobId } }), 404, 'Job not found');
}

async function unknownPath(story: Story): Promise<undefined> {
  const answer = await send(story, 'GET', '/v3/nothing', { headers: withToken(story), body: undefined });
  expectRefusal(answer, 404, 'Not found');
}

async function otherMethod(story: Story): Promise<undefined> {
  const { path } = routeOf('GET /v3/jobs/{jobId}');
  const headers = withToken(story);
  const answer = await send(story, 'PUT', path.replace('{jobId}', 'none'), { headers, body: {} });
  expectRefusal(answer, 405, 'Method not allowed');
  const promised = keys.map(routeOf).filter((route) => route.path === path);
  const allowed = sorted(promised.map(({ method }) => method));
  const came = sorted((answer.headers.get('allow') ?? '').split(', '));
  expectThat(came === allowed, `Allow: ${allowed}`, () => `Allow: ${came}`);
}

const sorted = (methods: readonly string[]) => [...methods].sort().join(', ');

async function unknownField(story: Story): Promise<undefined> {
  const { deviceGroupId } = story.take('fleet');
  const body = { name: 'Smoke test', deviceGroupId, sheduledAt: new Date().toISOString() };
  const answer = await create(story, 'POST /v3/jobs/create', body);
  expectRefusal(answer, 400, 'invalid_request');
  const named = JSON.stringify(answer.body).includes('sheduledAt');
  expectThat(named, 'details that name sheduledAt', () => inOneLine(answer));
}

export const refusalSteps: readonly Step[] = [
  { name: '401 without a token', run: (story) => unauthorized(story, null) },
  { name: '401 for a token that is none', run: (story) => unauthorized(story, 'not-a-token') },
  { name: 'no socket without a token', part: 'wss', run: unauthorizedHandshake },
  { name: '403 outside the scopes', part: 'scopes', run: outsideTheScopes },
  { name: '404 for an unknown job', run: unknownJob },
  { name: '404 for an unknown path', run: unknownPath },
  { name: '405 with Allow', run: otherMethod },
  { name: '400 for an unknown field', run: unknownField },
];
