import { formatCursor } from '../../domain/events/cursor';
import { expireAfter, organisationOfClient } from '../channels/resume';
import { until } from '../channels/until';
import { clients } from './client';
import { fleetOf, givenJob, givenShare, invalidAt, givenJobThatIs } from './given';
import { iso } from './iso';
import { occupyAllSeats, waitingCallsOf } from './waiting-seats';

const [partner, ofJobs, ofShares] = clients('list-events');
const [waiter] = clients('waiting-calls');
const [poller, other = poller] = clients('long-polls');
const [stranger] = clients('stranger');
const { deviceGroupId } = fleetOf(partner);

type Query = Readonly<Record<string, string>>;
const list = (query: Query = {}, client = partner) => client.call('GET /v3/events', { query });
const now = async (client = partner) => (await list({}, client)).body.cursor;
const cancel = (jobId: string) => partner.call('POST /v3/jobs/{jobId}/cancel', { path: { jobId } });
const revoke = (shareCode: string) => partner.call('DELETE /v3/shares/{shareCode}', { path: { shareCode } });

/** Reads on from a cursor until as many events have come. */
async function read(after: string, count: number, client = partner, limit = '100') {
  const events: Awaited<ReturnType<typeof list>>['body']['events'] = [];
  for (let cursor = after; events.length < count;) {
    const { status, body } = await list({ after: cursor, wait: '5', limit }, client);
    expect(status).toBe(200);
    events.push(...body.events);
    cursor = body.cursor;
  }
  return events;
}

describe('GET /v3/events', () => {
  test('without a cursor answers with an empty page and the cursor of now', async () => {
    const { status, body, headers } = await list();
    const cursor = expect.stringMatching(/^event-[0-9a-z]{8}-[0-9a-z]{10}$/) as string;
    expect([status, body]).toEqual([200, { success: true, events: [], count: 0, cursor }]);
    expect(headers.get('x-ratelimit-limit')).toBe('120');
  });

  test('lists changes of jobs and shares in the order in which they became known, as on the channels', async () => {
    const before = await now();
    const { jobId } = await givenJob(partner);
    const [created] = await read(before, 1);
    await cancel(jobId);
    await read(created?.cursor ?? '', 1);
    const { shareCode } = await givenShare(partner);
    await read(before, 3);
    await revoke(shareCode);
    const events = await read(before, 4);
    const job = { type: 'job.status', jobId, deviceGroupId, timestamp: iso };
    expect(events).toMatchObject([
      { ...job, jobState: 'PENDING', sequence: 1 },
      { ...job, jobState: 'CANCELLED', previousState: 'PENDING', sequence: 2 },
      { type: 'share.status', shareCode, shareState: 'ACTIVE' },
      { type: 'share.status', shareCode, shareState: 'REVOKED' },
    ]);
    const cursors = events.map(({ cursor }) => cursor);
    expect(cursors).toEqual(cursors.toSorted());
    expect(new Set(cursors).size).toBe(4);
  });

  test('goes on page by page, from the cursor of the reply or of an event', async () => {
    const before = await now();
    for (let count = 0; count < 5; count++) await givenJob(partner);
    const all = await read(before, 5);
    const first = (await list({ after: before, limit: '2' })).body;
    expect(first).toMatchObject({ count: 2, events: all.slice(0, 2), cursor: all[1]?.cursor });
    expect((await list({ after: first.cursor, limit: '2' })).body.events).toEqual(all.slice(2, 4));
    expect((await list({ after: all[3]?.cursor ?? '' })).body.events).toEqual(all.slice(4));
  });

  test('begins with the oldest event', async () => {
    const before = await now();
    await givenJob(partner);
    // Until the event is known: it must not come while a later test reads its own.
    await read(before, 1);
    const { body } = await list({ after: 'oldest', limit: '1' });
    expect(body.cursor).toBe(formatCursor(organisationOfClient(partner), 1));
  });

  test.each([
    ['command:read', ofJobs, 'job.status'],
    ['share:read', ofShares, 'share.status'],
  ] as const)('lists only what the scope %s allows, and passes the others', async (_, client, type) => {
    const before = await now();
    const { shareCode } = await givenShare(partner);
    await givenJob(partner);
    await revoke(shareCode);
    const [last] = (await read(before, 3)).slice(-1);
    const { body } = await list({ after: before }, client);
    expect(new Set(body.events.map((event) => event.type))).toEqual(new Set([type]));
    expect(body.cursor).toBe(last?.cursor);
  });

  test('answers a call that waits as soon as there is something', async () => {
    const before = await now();
    const waiting = list({ after: before, wait: '20' });
    const { jobId } = await givenJob(partner);
    const { body } = await waiting;
    expect(body.events).toMatchObject([{ type: 'job.status', jobId, jobState: 'PENDING' }]);
  });

  test('answers a call that waits with an empty page when the time is over, or others only have happened', async () => {
    const before = await now(ofShares);
    const waiting = list({ after: before, wait: '1' }, ofShares);
    await givenJob(partner);
    const { status, body } = await waiting;
    expect([status, body.count]).toEqual([200, 0]);
    expect(body.cursor >= before).toBe(true);
    expect((await list({ after: body.cursor }, ofShares)).status).toBe(200);
  });

  test('holds five calls of a client side by side and refuses the sixth, and nobody else notices', async () => {
    let answered = 0;
    const waiting = Array.from({ length: 5 }, () => list({ wait: '20' }, poller).finally(() => (answered += 1)));
    await until('the fifth', async () => ((await waitingCallsOf(poller)) === 5 ? true : undefined));
    const { status, body } = await list({ wait: '20' }, poller);
    const message = 'at most 5 calls of a client wait at the same time';
    expect([status, body]).toEqual([429, { error: 'Too many requests', details: [{ path: 'wait', message }] }]);
    const reads = Array.from({ length: 4 }, () => [
      list({}, poller),
      list({}, other),
      other.call('GET /v3/resources'),
    ]).flat();
    expect((await Promise.all(reads)).map((read) => read.status)).toEqual(Array(12).fill(200));
    // All of it happened while they waited.
    expect(answered).toBe(0);
    const { jobId } = await givenJob(poller);
    for (const { body } of await Promise.all(waiting)) expect(body.events).toMatchObject([{ jobId }]);
    expect(await waitingCallsOf(poller)).toBe(0);
  });

  test('answers a call that may wait at once with what there is, when as many wait as may in all', async () => {
    const before = await now(poller);
    const giveBack = await occupyAllSeats();
    // Held, they would take longer than a test may.
    for (let calls = 0; calls < 10; calls++)
      expect(await list({ after: before, wait: '20' }, poller)).toMatchObject({
        status: 200,
        body: { success: true, events: [], count: 0, cursor: before },
      });
    expect(await waitingCallsOf(poller)).toBe(0);
    const { jobId } = await givenJob(poller);
    await until('the event', async () => ((await now(poller)) > before ? true : undefined));
    expect((await list({ after: before, wait: '20' }, poller)).body.events).toMatchObject([{ jobId }]);
    await giveBack();
  });

  test('answers 410 when the log no longer reaches back to the cursor', async () => {
    const before = await now();
    await givenJob(partner);
    await read(before, 1);
    await expireAfter(partner, before);
    const { status, body } = await list({ after: before });
    const message = 'is older than the log: begin with after=oldest, or read the current state';
    expect([status, body]).toEqual([410, { error: 'Cursor expired', details: [{ path: 'after', message }] }]);
    expect((await list({ after: 'oldest' })).status).toBe(200);
  });

  test.each<[string, string, string]>([
    [
      'of another organisation',
      formatCursor(organisationOfClient(stranger), 1),
      "is not a cursor of your organisation's events",
    ],
    ['of nobody', formatCursor('00000000', 1), "is not a cursor of your organisation's events"],
    [
      'that is cut',
      formatCursor(organisationOfClient(partner), 1).slice(0, -1),
      'is not a cursor of this service, or a part of one',
    ],
    ['that is empty', '', 'is not a cursor of this service, or a part of one'],
    ['of another kind', 'latest', 'is not a cursor of this service, or a part of one'],
    ['of the future', formatCursor(organisationOfClient(partner), 36 ** 9), 'is a cursor that was not issued yet'],
  ])('answers 400 for a cursor %s', async (_, after, message) => {
    expect(await list({ after })).toMatchObject(invalidAt('after', message));
  });

  test.each(['21', '-1', '1.5', 'long', ''])('answers 400 for a wait of "%s"', async (wait) => {
    expect(await list({ wait })).toMatchObject(invalidAt('wait', 'must be a whole number of seconds from 0 to 20'));
  });

  test('shows nothing of another organisation', async () => {
    // No other test changes anything of this organisation meanwhile.
    const [before, own] = [await now(), await now(waiter)];
    const { jobId } = await givenJob(waiter);
    expect(await read(own, 1, waiter)).toMatchObject([{ jobId }]);
    expect((await list({ after: before })).body.events).toEqual([]);
  });
});

describe('GET /v3/jobs/{jobId}/events', () => {
  const eventsOf = (jobId: string) => partner.call('GET /v3/jobs/{jobId}/events', { path: { jobId } });

  test('lists the changes of the job from its creation to its end, and of no other', async () => {
    const [jobId] = await Promise.all([givenJobThatIs('COMPLETED', partner), givenJobThatIs('FAILED', partner)]);
    const complete = async () => ((await eventsOf(jobId)).body.count === 4 ? true : undefined);
    await until('the whole timeline', complete);
    const { status, body } = await eventsOf(jobId);
    expect([status, body.success]).toEqual([200, true]);
    expect(body.events.map(({ jobState, previousState, sequence }) => [sequence, previousState, jobState])).toEqual([
      [1, undefined, 'PENDING'],
      [2, 'PENDING', 'QUEUED'],
      [3, 'QUEUED', 'IN_PROGRESS'],
      [4, 'IN_PROGRESS', 'COMPLETED'],
    ]);
    const cursors = body.events.map(({ cursor }) => cursor);
    expect(cursors).toEqual(cursors.toSorted());
  });
});
