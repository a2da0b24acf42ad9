import type { EndpointKey } from '../../contract/endpoints';
import { endpointTable } from '../../contract/endpoint-table';
import { clients, type Answer, type Client } from './client';
import { fleetOf, givenJob, givenShare } from './given';
import { givenCalls } from './stack/given-calls';
import { withinAMinute } from './within-a-minute';

const [creator, sharer = creator, reader = creator, colleague = creator] = clients('limits');

/** Calls at once, and those of them that a client has left in its minute. */
const CALLS = 40;
const LEFT = 15;

/**
 * Makes a client's calls at once, all in one minute of the clock.
 * @param count of what the calls create
 * @returns the answers, and the count before them
 */
const atOnce = <Given extends Answer>(
  { credentials: { clientId } }: Client,
  key: EndpointKey,
  call: () => Promise<Given>,
  count: () => Promise<number> = () => Promise.resolve(0),
) =>
  withinAMinute(async () => {
    const before = await count();
    await givenCalls(`${clientId}#${key}`, (endpointTable[key].perMinute ?? 0) - LEFT);
    return { before, answers: await Promise.all(Array.from({ length: CALLS }, call)) };
  });

/**
 * Expects that the calls left of many concurrent ones pass and are counted down, and that the others are refused with
 * Retry-After.
 */
function expectExactly(limit: number, status: number, answers: readonly Answer[]) {
  const [passed, refused] = [200, 429].map((kind) =>
    answers.filter((answer) => (kind === 429) === (answer.status === 429)),
  ) as [Answer[], Answer[]];
  expect([passed.length, refused.length]).toEqual([LEFT, CALLS - LEFT]);
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

beforeAll(() => Promise.all([creator, sharer, reader, colleague].map((client) => client.token())));

describe('POST /v3/jobs/create', () => {
  test('serves a client exactly 60 times a minute, however many are sent at once, and creates no further job', async () => {
    const body = { name: 'Survey', deviceGroupId: fleetOf(creator).deviceGroupId };
    const key = 'POST /v3/jobs/create';
    const jobs = async () => (await creator.call('GET /v3/jobs', { query: { limit: '100' } })).body.count;
    const { before, answers } = await atOnce(creator, key, () => creator.call(key, { body }), jobs);
    expectExactly(60, 201, answers);
    expect(await jobs()).toBe(before + LEFT);
    // The limit is the client's, not its organisation's; nor is it that of any other endpoint.
    await givenJob(colleague);
    expect((await creator.call('GET /v3/jobs')).headers.has('x-ratelimit-limit')).toBe(false);
  });
});

describe('POST /v3/streams/share', () => {
  test('serves a client exactly 30 times a minute, however many are sent at once, and creates no further share', async () => {
    const body = { resourceId: fleetOf(sharer).deviceId, shareType: 'STREAM' };
    const key = 'POST /v3/streams/share';
    const shares = async () => (await sharer.call('GET /v3/shares', { query: { limit: '100' } })).body.count;
    const { before, answers } = await atOnce(sharer, key, () => sharer.call(key, { body }), shares);
    expectExactly(30, 201, answers);
    expect(await shares()).toBe(before + LEFT);
    await givenShare(colleague);
  });
});

describe('GET /v3/shares/{shareCode}/resources', () => {
  test('serves a client exactly 120 times a minute, however many are sent at once', async () => {
    const call = { path: { shareCode: (await givenShare(reader)).shareCode } };
    const key = 'GET /v3/shares/{shareCode}/resources';
    const { answers } = await atOnce(reader, key, () => reader.call(key, call));
    expectExactly(120, 200, answers);
    expect((await colleague.call(key, call)).status).toBe(200);
  });
});
