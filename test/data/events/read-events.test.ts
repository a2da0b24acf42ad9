import { findCursor, lastCursor } from '../../../data/events/cursors';
import { HEAD, organisationLog } from '../../../data/events/log-items';
import { hasEventAfter, missedEvents, unsettledEvents } from '../../../data/events/missed-events';
import { beforeOldest, readChannelEvents, readEvents } from '../../../data/events/read-events';
import { QueryCommand } from '../../../data/store/document-client';
import { cursorOf } from '../../../domain/cursor';
import { jobMessage } from '../../../domain/status-event';
import { acme, id, sampleJob } from '../../domain/fixtures/samples';
import { sent, store } from '../fixtures/store';
import { givenLogTable, type Item } from './log-table';

const now = new Date('2026-11-27T10:30:00.000Z');
const nowS = now.getTime() / 1000;
/** Of events that were logged long ago. */
const long = nowS - 3600;
const log = organisationLog(acme);
const job = { kind: 'job', id: id('job') } as const;
const ofJob = `job#${id('job')}`;
const other = `job#${id('job', acme, 'another')}`;

const event = (number: number, channel = ofJob, fields: Item = {}): Item => ({
  ...{ log, number, channel, message: JSON.stringify(jobMessage(sampleJob({ version: number }))) },
  ...{ loggedAt: long, keptUntil: nowS + 60, ttl: nowS + 3600, ...fields },
});
/** No longer events of the organisation, but of their channels. */
const past = { keptUntil: nowS };
const head = (last: number): Item => ({ log, number: HEAD, last });
const events = (from: number, to: number, channel?: string, fields?: Item) =>
  Array.from({ length: to - from + 1 }, (_, index) => event(from + index, channel, fields));
const numbersIn = (page: { events: readonly { number: number }[] } | undefined) =>
  page?.events.map(({ number }) => number);
const numbersOf = (found: readonly { number: number }[] | undefined) => found?.map(({ number }) => number);

/** A log whose first query sees only a part of a transaction. */
function givenPartialQuery(seen: readonly Item[], all: readonly Item[]): void {
  givenLogTable(all);
  store.on(QueryCommand).resolvesOnce({ Items: [...seen] });
  store.on(QueryCommand).resolves({ Items: [...all] });
}

beforeEach(() => {
  jest.useFakeTimers({ now, doNotFake: ['nextTick', 'setImmediate', 'setTimeout'] });
});
afterEach(() => {
  jest.useRealTimers();
});

describe('readEvents', () => {
  test('returns a page by one strongly consistent query', async () => {
    givenLogTable([head(1), ...events(1, 9)]);
    expect(numbersIn(await readEvents(acme, 3, 3, now))).toEqual([4, 5, 6]);
    expect(sent()).toMatchObject([
      { ExpressionAttributeValues: { ':log': log, ':after': 3 }, Limit: 4, ConsistentRead: true },
    ]);
  });

  test('returns the first page of a log', async () => {
    givenLogTable([head(1), ...events(1, 9)]);
    expect(numbersIn(await readEvents(acme, 0, 3, now))).toEqual([1, 2, 3]);
  });

  test('returns the empty end of the log by one query', async () => {
    givenLogTable([head(1), ...events(1, 6)]);
    await expect(readEvents(acme, 6, 50, now)).resolves.toEqual({ events: [], last: 6 });
    expect(sent()).toHaveLength(1);
  });

  test('returns an empty page of a log that does not exist yet', async () => {
    givenLogTable();
    await expect(readEvents(acme, 0, 50, now)).resolves.toEqual({ events: [], last: 0 });
  });

  test('returns the empty end of a log whose events are no longer kept, and of one without events', async () => {
    givenLogTable([head(1), ...events(1, 6, ofJob, past)]);
    await expect(readEvents(acme, 6, 50, now)).resolves.toEqual({ events: [], last: 6 });
    givenLogTable([head(1)]);
    await expect(readEvents(acme, 1000, 50, now)).resolves.toEqual({ events: [], last: 1000 });
  });

  test.each([
    ['of a log', [head(1), ...events(1, 6)], 7],
    ['of a log without events', [head(1)], 1001],
    ['of a log that does not exist yet', [], 1],
  ])('refuses a number that was not issued yet, %s', async (_, items, after) => {
    givenLogTable(items);
    await expect(readEvents(acme, after, 50, now)).rejects.toMatchObject({
      code: 'invalid_request',
      details: [{ path: 'after', message: 'is a cursor that was not issued yet' }],
    });
  });

  test('ends before a hole: a query may see a part of a transaction', async () => {
    givenLogTable([event(4), event(6), head(1)]);
    const page = await readEvents(acme, 3, 50, now);
    expect([numbersIn(page), page?.last]).toEqual([[4], 4]);
  });

  test('reads again when the first event is missing', async () => {
    givenPartialQuery([event(5)], [event(4), event(5)]);
    expect(numbersIn(await readEvents(acme, 3, 50, now))).toEqual([4, 5]);
  });

  test.each([
    ['was deleted', [event(9), head(1)]],
    ['and all others were deleted', [head(1)]],
    ['is no longer kept', [event(3, ofJob, past), event(4, ofJob, past), event(5), head(1)]],
  ])('returns undefined when the first event %s', async (_, items) => {
    givenLogTable(items);
    await expect(readEvents(acme, 3, 50, now)).resolves.toBeUndefined();
  });
});

describe('lastCursor', () => {
  test.each([
    ['of the last event', [head(1), ...events(1, 6)], 6],
    ['of the last event that is no longer kept', [head(1), ...events(1, 6, ofJob, past)], 6],
    ['of the beginning', [], 0],
    ['of the last event that there can have been', [head(1001)], 2000],
  ])('is that %s', async (_, items, expected) => {
    givenLogTable(items);
    await expect(lastCursor(acme)).resolves.toBe(cursorOf(acme, expected));
    await expect(findCursor(acme, cursorOf(acme, expected))).resolves.toBe(expected);
    await expect(findCursor(acme, cursorOf(acme, expected + 1))).rejects.toMatchObject({ code: 'invalid_request' });
  });
});

describe('beforeOldest', () => {
  test.each([
    ['of an empty log is 0', [], 0],
    ['is 0 while nothing has expired', [head(1), ...events(1, 40)], 0],
    ['is that of the last expired one', [head(1), ...events(1, 17, ofJob, past), ...events(18, 40)], 17],
    ['does not depend on which of them were deleted', [head(1), event(3, ofJob, past), ...events(18, 40)], 17],
    ['is the last number when all have expired', [head(1), ...events(38, 40, ofJob, past)], 40],
    ['is before the first one after an idle time', [head(1001), ...events(1001, 1003)], 1000],
    ['is the last number that there can have been when all were deleted', [head(1)], 1000],
  ])('%s', async (_, items, expected) => {
    givenLogTable(items);
    await expect(beforeOldest(acme, now)).resolves.toBe(expected);
  });
});

describe('missedEvents', () => {
  test('are those of the channel only, by one strongly consistent query', async () => {
    givenLogTable([head(1), ...events(1, 4), event(5, other), event(6)]);
    expect(numbersOf(await missedEvents(acme, job, 3, 10, now))).toEqual([4, 6]);
    expect(sent()).toMatchObject([{ ConsistentRead: true }]);
  });

  test('are none at the end of the log, by one query', async () => {
    givenLogTable([head(1), ...events(1, 6)]);
    await expect(missedEvents(acme, job, 6, 10, now)).resolves.toEqual([]);
    expect(sent()).toHaveLength(1);
  });

  test('are none at the end of a log without events', async () => {
    givenLogTable([head(1)]);
    await expect(missedEvents(acme, job, 1000, 10, now)).resolves.toEqual([]);
    givenLogTable();
    await expect(missedEvents(acme, job, 0, 10, now)).resolves.toEqual([]);
  });

  test('are all from the first event of a log', async () => {
    givenLogTable([head(1), ...events(1, 2, ofJob, { loggedAt: nowS })]);
    expect(numbersOf(await missedEvents(acme, job, 0, 10, now))).toEqual([1, 2]);
    expect(sent()).toHaveLength(1);
  });

  test('are read again until the log shows no hole: a query may see a part of a transaction', async () => {
    const young = events(4, 6, ofJob, { loggedAt: nowS }).toReversed();
    givenPartialQuery([event(6, ofJob, { loggedAt: nowS }), event(3)], [...young, event(3)]);
    expect(numbersOf(await missedEvents(acme, job, 3, 10, now))).toEqual([4, 5, 6]);
  });

  test('of a log that has grown much since are those of the index, and the end of the organisation’s', async () => {
    const items = [...events(3, 6, other), event(7), ...events(8, 1001, other), event(1002), event(1003, other)];
    givenLogTable([head(1), ...items]);
    expect(numbersOf(await missedEvents(acme, job, 3, 10, now))).toEqual([7, 1002]);
    expect(sent()).toHaveLength(3);
  });

  test('of the last seconds are none of the index', async () => {
    const young = { loggedAt: nowS - 9 };
    givenLogTable([event(3), event(4, other, young), event(5, ofJob, young), ...events(6, 900, other, young)]);
    store.on(QueryCommand, { IndexName: 'by-channel' }).resolves({ Items: [] });
    expect(numbersOf(await missedEvents(acme, job, 3, 10, now))).toEqual([5]);
  });

  test.each<[string, Item[], number]>([
    ['the log no longer has the first', [event(5), event(6)], 10],
    ['the first is no longer kept', [...events(3, 4, ofJob, past), event(5), event(6)], 10],
    ['the first of many is no longer kept', [...events(3, 4, ofJob, past), ...events(5, 400, other)], 10],
    ['all events were deleted', [], 10],
    ['there are more than the maximum', events(3, 6), 2],
  ])('are undefined when %s', async (_, items, most) => {
    givenLogTable([head(1), ...items]);
    await expect(missedEvents(acme, job, 3, most, now)).resolves.toBeUndefined();
  });

  test('are undefined after a number that the log does not have', async () => {
    givenLogTable([head(1), ...events(1, 6)]);
    await expect(missedEvents(acme, job, 7, 10, now)).resolves.toBeUndefined();
  });
});

describe('unsettledEvents', () => {
  const at = (number: number, seconds: number, channel?: string) =>
    event(number, channel, { loggedAt: long + seconds });

  test('are those of the ten seconds before a number, of the channel only, without the index', async () => {
    givenLogTable([at(2, -30), at(3, -11), at(4, -10), at(5, -2, other), at(6, -1), at(7, 0), at(8, 0)]);
    expect(numbersOf(await unsettledEvents(acme, job, 7))).toEqual([4, 6, 7]);
    expect(sent()).toMatchObject([{ ConsistentRead: true }, { ConsistentRead: true }]);
  });

  test('are among the last thousand events of the organisation', async () => {
    givenLogTable(events(1, 2000));
    expect(numbersOf(await unsettledEvents(acme, job, 1500))?.at(0)).toBe(501);
  });

  test('are none before the first event, and none when the log no longer has the number', async () => {
    givenLogTable();
    await expect(unsettledEvents(acme, job, 0)).resolves.toEqual([]);
    givenLogTable([at(5, -1)]);
    await expect(unsettledEvents(acme, job, 6)).resolves.toEqual([]);
  });
});

describe('hasEventAfter', () => {
  test.each([
    ['an event that the index has', [...events(1, 4), ...events(5, 40, other)], true],
    ['no event', [...events(1, 3), ...events(4, 40, other)], false],
  ])('finds %s', async (_, items, expected) => {
    givenLogTable([head(1), ...items]);
    await expect(hasEventAfter(acme, job, 3)).resolves.toBe(expected);
  });

  test('finds an event that the index does not have yet', async () => {
    givenLogTable([head(1), ...events(1, 3), event(4, ofJob, { loggedAt: nowS })]);
    store.on(QueryCommand, { IndexName: 'by-channel' }).resolves({ Items: [] });
    await expect(hasEventAfter(acme, job, 3)).resolves.toBe(true);
  });
});

describe('readChannelEvents', () => {
  test('are those of the index that are stored, by two queries, also when their organisation no longer has them', async () => {
    givenLogTable([
      ...[event(1, ofJob, { ...past, ttl: nowS }), ...events(2, 3, ofJob, past)],
      ...[...events(4, 300, other), event(301)],
    ]);
    expect(numbersOf(await readChannelEvents(acme, job, now))).toEqual([2, 3, 301]);
    expect(sent()).toHaveLength(2);
  });

  test('have those that the index does not have yet', async () => {
    const young = { loggedAt: nowS };
    givenLogTable([event(1), event(2, other), event(3, ofJob, young), ...events(4, 90, other, young)]);
    store.on(QueryCommand, { IndexName: 'by-channel' }).resolves({ Items: [event(1)] });
    expect(numbersOf(await readChannelEvents(acme, job, now))).toEqual([1, 3]);
  });

  test('have those once that an earlier version has logged, in two items', async () => {
    const old = event(1, ofJob, { loggedAt: undefined, keptUntil: undefined, ttl: nowS });
    givenLogTable([old, { ...old, log: ofJob, ttl: nowS + 60 }, event(2)]);
    expect(numbersOf(await readChannelEvents(acme, job, now))).toEqual([1, 2]);
  });
});
