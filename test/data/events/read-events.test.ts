import { HEAD, organisationLog } from '../../../data/events/log-items';
import { missedEvents, unsettledEvents } from '../../../data/events/missed-events';
import { beforeOldest, readEvents } from '../../../data/events/read-events';
import { GetCommand, QueryCommand } from '../../../data/store/document-client';
import { jobMessage } from '../../../domain/status-event';
import { acme, id, sampleJob } from '../../domain/fixtures/samples';
import { sent, store } from '../fixtures/store';

type Item = Record<string, unknown>;
const now = new Date('2026-11-27T10:30:00.000Z');
const later = now.getTime() / 1000 + 60;
const past = now.getTime() / 1000;
const job = { kind: 'job', id: id('job') } as const;
const ofJob = `job#${id('job')}`;
const other = `job#${id('job', acme, 'another')}`;

const event = (number: number, channel = ofJob, ttl = later): Item => ({
  ...{ number, channel, ttl },
  message: JSON.stringify(jobMessage(sampleJob({ version: number }))),
});
const head = (last: number): Item => ({ number: HEAD, last });
const events = (from: number, to: number, channel?: string, ttl?: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => event(from + index, channel, ttl));
const numbersIn = (page: { events: readonly { number: number }[] } | undefined) =>
  page?.events.map(({ number }) => number);
const query = () => store.on(QueryCommand);

/** The items of the organisation's log, for reads of single ones. */
function givenItems(items: readonly Item[], last: number): void {
  store.on(GetCommand).callsFake(({ Key }: { Key: Item }) => {
    const Item = Key['number'] === HEAD ? head(last) : items.find(({ number }) => number === Key['number']);
    return Promise.resolve({ ...(Item && { Item }) });
  });
}

describe('readEvents', () => {
  test('returns a page by one strongly consistent query', async () => {
    query().resolves({ Items: events(4, 6) });
    expect(numbersIn(await readEvents(acme, 3, 3, now))).toEqual([4, 5, 6]);
    expect(sent()).toMatchObject([
      { ExpressionAttributeValues: { ':log': organisationLog(acme), ':after': 3 }, Limit: 3, ConsistentRead: true },
    ]);
  });

  test('returns the empty end of the log by one query', async () => {
    query().resolves({ Items: [head(6)] });
    await expect(readEvents(acme, 6, 50, now)).resolves.toEqual({ events: [], last: 6 });
    expect(sent()).toHaveLength(1);
  });

  test('returns an empty page of a log that does not exist yet', async () => {
    query().resolves({ Items: [] });
    await expect(readEvents(acme, 0, 50, now)).resolves.toEqual({ events: [], last: 0 });
  });

  test('refuses a number that was not issued yet', async () => {
    query().resolves({ Items: [head(6)] });
    await expect(readEvents(acme, 7, 50, now)).rejects.toMatchObject({
      code: 'invalid_request',
      details: [{ path: 'after', message: 'is a cursor that was not issued yet' }],
    });
  });

  test('ends before a hole: a query may see a part of a transaction', async () => {
    query().resolves({ Items: [event(4), event(6), head(6)] });
    const page = await readEvents(acme, 3, 50, now);
    expect([numbersIn(page), page?.last]).toEqual([[4], 4]);
  });

  test('reads again when the first event is missing', async () => {
    query()
      .resolvesOnce({ Items: [event(5), head(5)] })
      .resolves({ Items: [event(4), event(5), head(5)] });
    expect(numbersIn(await readEvents(acme, 3, 50, now))).toEqual([4, 5]);
  });

  test.each([
    ['was deleted', [event(9), head(9)]],
    ['and all others were deleted', [head(9)]],
    ['has expired, but was not deleted yet', [event(4, ofJob, past), event(5), head(9)]],
  ])('returns undefined when the first event %s', async (_, Items) => {
    query().resolves({ Items });
    await expect(readEvents(acme, 3, 50, now)).resolves.toBeUndefined();
  });
});

describe('beforeOldest', () => {
  test.each([
    ['of an empty log is 0', [], 0, 0],
    ['is 0 while nothing has expired', events(1, 40), 40, 0],
    ['is that of the last expired one', [...events(1, 17, ofJob, past), ...events(18, 40)], 40, 17],
    ['does not depend on which of them were deleted', [event(3, ofJob, past), ...events(18, 40)], 40, 17],
    ['is the last number when all have expired', [], 40, 40],
  ])('%s', async (_, items, last, expected) => {
    givenItems(items, last);
    await expect(beforeOldest(acme, now)).resolves.toBe(expected);
  });
});

describe('missedEvents', () => {
  test('are those of the channel only, by two reads', async () => {
    givenItems([], 6);
    query().resolves({ Items: [event(4), event(5, other), event(6)] });
    const missed = await missedEvents(acme, job, 3, 10, now);
    expect(missed?.map(({ number }) => number)).toEqual([4, 6]);
    expect(sent()).toHaveLength(2);
  });

  test('are none at the end of the log, by one read', async () => {
    givenItems([], 6);
    await expect(missedEvents(acme, job, 6, 10, now)).resolves.toEqual([]);
    expect(sent()).toHaveLength(1);
  });

  test('are read again until the log shows no hole: a query may see a part of a transaction', async () => {
    givenItems([], 6);
    query()
      .resolvesOnce({ Items: [event(4), event(6)] })
      .resolves({ Items: events(4, 6) });
    const missed = await missedEvents(acme, job, 3, 10, now);
    expect(missed?.map(({ number }) => number)).toEqual([4, 5, 6]);
  });

  test('of a log that has grown much since are those of the channel’s log, and the end of the organisation’s', async () => {
    givenItems([event(4)], 1003);
    query().callsFake(({ ExpressionAttributeValues: values }: { ExpressionAttributeValues: Item }) =>
      Promise.resolve({ Items: values[':log'] === ofJob ? [event(7), event(800)] : events(804, 1003, other) }),
    );
    const missed = await missedEvents(acme, job, 3, 10, now);
    expect(missed?.map(({ number }) => number)).toEqual([7, 800]);
    expect(sent()).toHaveLength(4);
  });

  test.each<[string, Item[], number]>([
    ['the log no longer has the first', [event(5), event(6)], 10],
    ['the first has expired', [event(4, ofJob, past), event(5), event(6)], 10],
    ['there are more than the maximum', events(4, 6), 2],
  ])('are undefined when %s', async (_, Items, most) => {
    givenItems([], 6);
    query().resolves({ Items });
    await expect(missedEvents(acme, job, 3, most, now)).resolves.toBeUndefined();
  });

  test('are undefined after a number that the log does not have', async () => {
    givenItems([], 6);
    await expect(missedEvents(acme, job, 7, 10, now)).resolves.toBeUndefined();
  });
});

describe('unsettledEvents', () => {
  const ttl = Math.floor(now.getTime() / 1000) + 1000;
  const at = (number: number, seconds: number) => ({ ...event(number), ttl: ttl + seconds });

  test('are those of the ten seconds before a number, of the channel only', async () => {
    givenItems([at(6, 0)], 9);
    query().resolves({ Items: [at(2, -30), at(3, -11), at(4, -10), at(5, -1)] });
    const unsettled = await unsettledEvents(acme, job, 6);
    expect(unsettled.map(({ number }) => number)).toEqual([4, 5]);
    expect(store).toHaveReceivedCommandWith(QueryCommand, {
      ExpressionAttributeValues: { ':log': ofJob, ':from': 1, ':to': 6 },
    });
  });

  test('are none before the first event, and none when the log no longer has the number', async () => {
    givenItems([], 9);
    query().resolves({ Items: [] });
    await expect(unsettledEvents(acme, job, 0)).resolves.toEqual([]);
    query().resolves({ Items: [at(5, -1)] });
    await expect(unsettledEvents(acme, job, 6)).resolves.toEqual([]);
  });
});
