import { setTimeout as pause } from 'node:timers/promises';
import { clients, type Answer } from './client';
import { fleetOf, givenJob, givenShare } from './given';

const [creator, sharer = creator, reader = creator, colleague = creator] = clients('limits');

/** A window is a minute of the clock; all calls of a test have to fall into one. */
const NEEDED = 15;
async function untilWindowHasRoom() {
  const left = 60 - ((Date.now() / 1000) % 60);
  if (left < NEEDED) await pause((left + 0.1) * 1000);
}

const atOnce = <Given extends Answer>(calls: number, call: () => Promise<Given>) =>
  Promise.all(Array.from({ length: calls }, call));

/** Looks at what many calls at once were answered: `limit` of them pass and are counted down, the others are told to wait. */
function expectExactly(limit: number, status: number, answers: readonly Answer[]) {
  const [passed, refused] = [200, 429].map((kind) =>
    answers.filter((answer) => (kind === 429) === (answer.status === 429)),
  ) as [Answer[], Answer[]];
  expect([passed.length, refused.length]).toEqual([limit, answers.length - limit]);
  expect(new Set(passed.map((answer) => answer.status))).toEqual(new Set([status]));
  const remaining = passed.map(({ headers }) => Number(headers.get('x-ratelimit-remaining')));
  expect(remaining.sort((a, b) => a - b)).toEqual(Array.from({ length: limit }, (_, index) => index));
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
  it('serves a client exactly 60 times a minute, however many come at once, and makes no job beyond', async () => {
    const body = { name: 'Survey', deviceGroupId: fleetOf(creator).deviceGroupId };
    expectExactly(60, 201, await atOnce(70, () => creator.call('POST /v3/jobs/create', { body })));
    expect((await creator.call('GET /v3/jobs', { query: { limit: '100' } })).body.count).toBe(60);
    // The limit is the client's, not its organisation's; nor is it that of any other endpoint.
    await givenJob(colleague);
    expect((await creator.call('GET /v3/jobs')).headers.has('x-ratelimit-limit')).toBe(false);
  });
});

describe('POST /v3/streams/share', () => {
  it('serves a client exactly 30 times a minute, however many come at once, and makes no share beyond', async () => {
    const body = { resourceId: fleetOf(sharer).deviceId, shareType: 'STREAM' };
    expectExactly(30, 201, await atOnce(40, () => sharer.call('POST /v3/streams/share', { body })));
    expect((await sharer.call('GET /v3/shares', { query: { limit: '100' } })).body.count).toBe(30);
    await givenShare(colleague);
  });
});

describe('GET /v3/shares/{shareCode}/resources', () => {
  it('serves a client exactly 120 times a minute, however many come at once', async () => {
    const call = { path: { shareCode: (await givenShare(reader)).shareCode } };
    const ask = () => reader.call('GET /v3/shares/{shareCode}/resources', call);
    expectExactly(120, 200, await atOnce(130, ask));
    expect((await colleague.call('GET /v3/shares/{shareCode}/resources', call)).status).toBe(200);
  });
});
