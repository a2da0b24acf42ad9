import { setTimeout as pause } from 'node:timers/promises';
import type { EndpointKey } from '../../contract/endpoints';
import { endpointTable } from '../../contract/access';
import { clients, type Answer, type Client } from './client';
import { fleetOf, givenJob, givenShare } from './given';
import { givenCalls } from './stack/given-calls';

const [creator, sharer = creator, reader = creator, colleague = creator] = clients('limits');

/** Seconds that a test may need: windows are minutes of the clock, and all calls of a test must fall into one. */
const NEEDED = 20;
async function untilWindowHasRoom() {
  const left = 60 - ((Date.now() / 1000) % 60);
  if (left < NEEDED) await pause((left + 0.1) * 1000);
}

const atOnce = <Given extends Answer>(calls: number, call: () => Promise<Given>) =>
  Promise.all(Array.from({ length: calls }, call));

/** Calls that each client has left in this minute when a test begins. */
const LEFT = 15;
const givenMostCalls = ({ credentials }: Client, key: EndpointKey) =>
  givenCalls(`${credentials.clientId}#${key}`, (endpointTable[key].perMinute ?? 0) - LEFT);

/** Expects that the calls left of many concurrent ones pass and are counted down, and that the others are refused with Retry-After. */
function expectExactly(limit: number, status: number, answers: readonly Answer[]) {
  const [passed, refused] = [200, 429].map((kind) =>
    answers.filter((answer) => (kind === 429) === (answer.status === 429)),
  ) as [Answer[], Answer[]];
  expect([passed.length, refused.length]).toEqual([LEFT, answers.length - LEFT]);
  expect(new Set(passed.map((answer) => answer.status))).toEqual(new Set([status]));
  const remaining = passed.map(({ headers }) => Number(headers.get('x-ratelimit-remaining')));
  expect(remaining.sort((a, b) => a - b)).toEqual(Array.from({ length: LEFT }, (_, index) => index));
  for (const { body, headers } of refused) {
    expect(body).toEqual({ error: 'Too many requests' });
    expect(headers.get('x-ratelimit-limit')).toBe(String(limit));
    expect(headers.get('x-ratelimit-remaining')).toBe('0');
    const wait = Number(headers.get('retry-after'));
    expect(wait).toBeGreaterThanOrEqual(1);
    expect(wait).toBeLessThanOrEqual(60);
  }
  const resets = answers.map(({ headers }) => Number(headers.get('x-ratelimit-reset')));
  expect(new Set(resets).size).toBe(1);
  expect((resets[0] ?? 1) % 60).toBe(0);
}

beforeEach(async () => {
  await Promise.all([creator, sharer, reader, colleague].map((client) => client.token()));
  await untilWindowHasRoom();
});

describe('POST /v3/jobs/create', () => {
  test('serves a client exactly 60 times a minute, however many are sent at once, and creates no further job', async () => {
    const body = { name: 'Survey', deviceGroupId: fleetOf(creator).deviceGroupId };
    await givenMostCalls(creator, 'POST /v3/jobs/create');
    expectExactly(60, 201, await atOnce(40, () => creator.call('POST /v3/jobs/create', { body })));
    expect((await creator.call('GET /v3/jobs', { query: { limit: '100' } })).body.count).toBe(LEFT);
    // The limit is the client's, not its organisation's; nor is it that of any other endpoint.
    await givenJob(colleague);
    expect((await creator.call('GET /v3/jobs')).headers.has('x-ratelimit-limit')).toBe(false);
  });
});

describe('POST /v3/streams/share', () => {
  test('serves a client exactly 30 times a minute, however many are sent at once, and creates no further share', async () => {
    const body = { resourceId: fleetOf(sharer).deviceId, shareType: 'STREAM' };
    await givenMostCalls(sharer, 'POST /v3/streams/share');
    expectExactly(30, 201, await atOnce(40, () => sharer.call('POST /v3/streams/share', { body })));
    expect((await sharer.call('GET /v3/shares', { query: { limit: '100' } })).body.count).toBe(LEFT);
    await givenShare(colleague);
  });
});

describe('GET /v3/shares/{shareCode}/resources', () => {
  test('serves a client exactly 120 times a minute, however many are sent at once', async () => {
    const call = { path: { shareCode: (await givenShare(reader)).shareCode } };
    const ask = () => reader.call('GET /v3/shares/{shareCode}/resources', call);
    await givenMostCalls(reader, 'GET /v3/shares/{shareCode}/resources');
    expectExactly(120, 200, await atOnce(40, ask));
    expect((await colleague.call('GET /v3/shares/{shareCode}/resources', call)).status).toBe(200);
  });
});
