import { stopClock } from '../fixtures/clock';
import { scopes } from '../../../contract/terms/scopes';
import { takeWaitingSeat } from '../../../data/events/take-waiting-seat';
import { QueryCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { formatCursor } from '../../../domain/events/cursor';
import { handler } from '../../../lambdas/events/list-events.lambda';
import { store } from '../../data/fixtures/store';
import { acme, id, sampleJob } from '../../domain/fixtures/samples';
import { jobMessage } from '../../../domain/channels/status-event';
import { call } from '../fixtures/api-gateway';
import '../fixtures/log';

jest.mock('../../../data/events/take-waiting-seat');

const now = new Date('2026-11-27T10:30:00.000Z');
const event = (number: number) => ({
  number,
  channel: `job#${id('job')}`,
  message: JSON.stringify(jobMessage(sampleJob())),
  loggedAt: now.getTime() / 1000,
  keptUntil: 9e9,
  ttl: 9e9,
});

/** Gives the seat back; counts how often. */
const release = jest.fn(() => Promise.resolve());
let log: ReturnType<typeof event>[];

beforeEach(() => {
  stopClock(now);
  log = [event(6)];
  release.mockClear();
  jest.mocked(takeWaitingSeat).mockReset().mockResolvedValue(release);
  store.on(UpdateCommand).resolves({ Attributes: { calls: 1 } });
  store.on(QueryCommand).callsFake(() => Promise.resolve({ Items: log.toReversed() }));
});

const list = (after: number, wait?: string) =>
  call(handler, { scopes, query: { after: [formatCursor(acme, after)], ...(wait !== undefined && { wait: [wait] }) } });

describe('A call of GET /v3/events', () => {
  test.each<[string, number, string | undefined, number]>([
    ['without wait', 6, undefined, 0],
    ['with a wait of 0', 6, '0', 0],
    ['for which there is something', 5, '20', 1],
  ])('%s needs no seat', async (_, after, wait, count) => {
    expect(await list(after, wait)).toMatchObject({ status: 200, body: { count } });
    expect(takeWaitingSeat).not.toHaveBeenCalled();
  });

  test('that waits takes a seat until its end and gives it back with its answer', async () => {
    const waiting = list(6, '20');
    await jest.advanceTimersByTimeAsync(5000);
    expect(takeWaitingSeat).toHaveBeenCalledWith({
      clientId: 'client1',
      now: now.getTime(),
      endsAt: now.getTime() + 20_000,
    });
    expect(release).not.toHaveBeenCalled();
    log.push(event(7));
    await jest.advanceTimersByTimeAsync(500);
    expect(await waiting).toMatchObject({ status: 200, body: { count: 1, cursor: formatCursor(acme, 7) } });
    expect(release).toHaveBeenCalledTimes(1);
  });

  test('that waits ends with its time, and never after its seat', async () => {
    let answeredAt = Infinity;
    const waiting = list(6, '20').finally(() => (answeredAt = Date.now()));
    await jest.advanceTimersByTimeAsync(30_000);
    expect(await waiting).toMatchObject({ status: 200, body: { count: 0, cursor: formatCursor(acme, 6) } });
    expect(answeredAt).toBeLessThanOrEqual(now.getTime() + 20_000);
    expect(release).toHaveBeenCalledTimes(1);
  });

  test('that finds no seat is answered at once with what there is', async () => {
    jest.mocked(takeWaitingSeat).mockResolvedValue(undefined);
    expect(await list(6, '20')).toMatchObject({
      status: 200,
      body: { success: true, events: [], count: 0, cursor: formatCursor(acme, 6) },
    });
    expect(Date.now()).toBe(now.getTime());
  });

  test('that fails while it waits gives its seat back', async () => {
    const waiting = list(6, '20');
    await jest.advanceTimersByTimeAsync(1000);
    store.on(QueryCommand).rejects(new Error('connect ECONNREFUSED'));
    await jest.advanceTimersByTimeAsync(500);
    expect(await waiting).toMatchObject({ status: 500 });
    expect(release).toHaveBeenCalledTimes(1);
  });
});
