import { until } from '../channels/until';
import type { EndpointKey } from '../../contract/endpoints';
import { endpointTable } from '../../contract/endpoint-table';
import { clients, type Answer, type Client } from './client';
import { fleetOf, givenJob, givenShare } from './given';
import { givenCalls } from './stack/given-calls';
import { topicName } from '../../contract/terms/channel-addresses';
import { newId } from '../../data/store/new-id';
import { organisationOf } from '../../domain/values/id';
import { connectMqtt } from '../channels/mqtt-client';
import { follow, tryToFollow } from '../channels/socket';

/** The window of every rate limit: a minute of the clock. */
const minute = () => Math.floor(Date.now() / 60_000);

/** Does what a minute's limits count, again if a minute of the clock ended meanwhile. */
async function withinAMinute<Result>(act: () => Promise<Result>): Promise<Result> {
  return until('acting within a minute', async () => {
    const begun = minute();
    const result = await act();
    return minute() === begun ? result : undefined;
  });
}

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

describe('GET /v3/limits', () => {
  const [partner, colleague = partner, publisher = partner] = clients('get-limits');
  const HANDSHAKE = 'WebSocket handshake';

  async function limitsOf(client: Client) {
    const { status, body } = await client.call('GET /v3/limits');
    expect(status).toBe(200);
    return body.limits;
  }

  /** What is left of each rate that the service counts. */
  const leftOf = async (client: Client) =>
    Object.fromEntries((await limitsOf(client)).rates.map(({ operation, remaining }) => [operation, remaining]));

  /** Waits until connections or subscriptions are as many: closing, and AWS IoT's events, take a moment. */
  const untilUsed = (client: Client, what: 'connections' | 'subscriptions', used: number) =>
    until(`counting ${used} ${what}`, async () => ((await limitsOf(client))[what].used === used ? true : undefined));

  test('counts down what a client creates and asks for, and nothing of its colleague', async () => {
    const { shareCode } = await givenShare(colleague);
    const { used, others, othersAfter } = await withinAMinute(async () => {
      const [before, others] = [await leftOf(partner), await limitsOf(colleague)];
      await givenJob(partner);
      await givenJob(partner);
      await givenShare(partner);
      expect((await partner.call('POST /v3/jobs/create', { body: {} })).status).toBe(400);
      await partner.call('GET /v3/shares/{shareCode}/resources', { path: { shareCode } });
      const after = await leftOf(partner);
      const counts = Object.entries(before).map(([name, left]) => [name, (left ?? 0) - (after[name] ?? 0)]);
      return { used: Object.fromEntries(counts) as unknown, others, othersAfter: await limitsOf(colleague) };
    });
    expect(othersAfter).toEqual(others);
    expect(used).toEqual({
      'POST /v3/jobs/create': 3,
      'POST /v3/jobs/dispatch': 0,
      'POST /v3/jobs/check': 0,
      'POST /v3/devices/{deviceId}/commands': 0,
      'POST /v3/missions': 0,
      'PUT /v3/missions/{missionId}': 0,
      'GET /v3/events': 0,
      'POST /v3/streams/share': 1,
      'GET /v3/shares/{shareCode}/resources': 1,
      [HANDSHAKE]: 0,
      'POST /v3/auth/token': 0,
    });
  });

  test('says what X-RateLimit-Limit, -Remaining and -Reset of the call before said', async () => {
    const [headers, { rates }] = await withinAMinute(async () => {
      const body = { name: 'Survey', deviceGroupId: fleetOf(colleague).deviceGroupId };
      const created = await colleague.call('POST /v3/jobs/create', { body });
      return [created.headers, await limitsOf(colleague)];
    });
    expect(rates.find(({ operation }) => operation === 'POST /v3/jobs/create')).toEqual({
      operation: 'POST /v3/jobs/create',
      limit: Number(headers.get('x-ratelimit-limit')),
      windowSeconds: 60,
      remaining: Number(headers.get('x-ratelimit-remaining')),
      resetAt: new Date(Number(headers.get('x-ratelimit-reset')) * 1000).toISOString(),
    });
  });

  test('counts open sockets and handshakes, refused ones too, until the sockets are closed', async () => {
    const channel = { kind: 'job', id: (await givenJob(partner)).jobId } as const;
    await untilUsed(partner, 'connections', 0);
    const handshakes = await withinAMinute(async () => {
      const before = await leftOf(partner);
      const sockets = [await follow(partner, channel), await follow(partner, channel), await follow(partner, channel)];
      expect(await tryToFollow(partner, { kind: 'job', id: 'nobody' })).toEqual({ status: 404 });
      const { connections } = await limitsOf(partner);
      expect(connections).toEqual({ limit: 50, used: 3, remaining: 47 });
      const after = await leftOf(partner);
      await sockets[0]?.close();
      await untilUsed(partner, 'connections', 2);
      await Promise.all(sockets.map((socket) => socket.close()));
      await untilUsed(partner, 'connections', 0);
      return (before[HANDSHAKE] ?? 0) - (after[HANDSHAKE] ?? 0);
    });
    expect(handshakes).toBe(4);
  });

  test('counts MQTT subscriptions over all connections until they are cancelled or the connection is closed', async () => {
    const organisation = organisationOf('group', fleetOf(partner).deviceGroupId) ?? '';
    const topics = Array.from({ length: 3 }, () => topicName({ kind: 'job', id: newId('job', organisation) }));
    const [first, second] = [await connectMqtt(partner), await connectMqtt(partner)];
    expect(await first.subscribe(...topics)).toEqual([true, true, true]);
    expect(await second.subscribe(...topics.slice(1))).toEqual([true, true]);
    await untilUsed(partner, 'subscriptions', 5);
    expect((await limitsOf(partner)).subscriptions).toEqual({ limit: 100, used: 5, remaining: 95 });
    expect((await limitsOf(colleague)).subscriptions.used).toBe(0);
    await second.client.unsubscribeAsync(topics[1] ?? '');
    await untilUsed(partner, 'subscriptions', 4);
    await first.close();
    await untilUsed(partner, 'subscriptions', 1);
  });

  test('uses up nothing itself, and is never cached', async () => {
    const [first, last] = await withinAMinute(async () => {
      const before = await limitsOf(colleague);
      await Promise.all(Array.from({ length: 30 }, () => limitsOf(colleague)));
      return [before, await limitsOf(colleague)];
    });
    expect(last).toEqual(first);
    const { headers } = await colleague.call('GET /v3/limits');
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.has('x-ratelimit-limit')).toBe(false);
  });

  test('answers a client whose only scope is for telemetry', async () => {
    expect((await limitsOf(publisher)).connections).toEqual({ limit: 50, used: 0, remaining: 50 });
  });

  test('refuses every query parameter', async () => {
    const { status, body } = await partner.call('GET /v3/limits', { query: { operation: HANDSHAKE } });
    expect([status, body.details]).toEqual([
      400,
      [{ path: 'operation', message: 'unknown parameter (this endpoint has none)' }],
    ]);
  });
});
