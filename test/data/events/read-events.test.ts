import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import { findCursor, lastCursor } from '../../../data/events/log-end';
import { beforeOldest, readChannelEvents, readEvents } from '../../../data/events/read-events';
import { formatCursor } from '../../../domain/events/cursor';
import { acme, id, sampleDevice, sampleJob, sampleShare } from '../../domain/fixtures/samples';
import { sent, store } from '../fixtures/store';
import {
  event,
  events,
  givenPartialQuery,
  head,
  job,
  log,
  now,
  nowS,
  numbersIn,
  numbersOf,
  ofJob,
  other,
  past,
  command,
  group,
  ofGroup,
} from './logged-events';
import { givenLogTable } from './log-table';
import { findChannels } from '../../../contract/channels/status-channels';
import { channelLog, isPublishedOn, parseLogItem } from '../../../data/events/log-items';
import { deviceMessage, jobMessage, shareMessage } from '../../../domain/channels/status-event';

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
    await expect(lastCursor(acme)).resolves.toBe(formatCursor(acme, expected));
    await expect(findCursor(acme, formatCursor(acme, expected))).resolves.toBe(expected);
    await expect(findCursor(acme, formatCursor(acme, expected + 1))).rejects.toMatchObject({ code: 'invalid_request' });
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

describe('readChannelEvents', () => {
  test('are those of the index that are stored, by two queries, also when their organisation no longer has them', async () => {
    givenLogTable([
      event(1, ofJob, { ...past, ttl: nowS }),
      ...events(2, 3, ofJob, past),
      ...events(4, 300, other),
      event(301),
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

const share = { kind: 'share', id: id('share') } as const;
const anothers = [job, group, share].map(({ kind }) => ({ kind, id: id(kind, acme, 'another') }));
const at = now.toISOString();

test.each([
  ['the change of a job', event(1, ofJob, { message: JSON.stringify(jobMessage(sampleJob())) })],
  ['the change of a device', event(1, ofGroup, { message: JSON.stringify(deviceMessage(sampleDevice(), at)) })],
  ['the change of a share', event(1, channelLog(share), { message: JSON.stringify(shareMessage(sampleShare(), at)) })],
  ['the change of a command', command(1)],
  ['the change of a command without a job', command(1, { jobId: undefined })],
  [
    'the change of a command as earlier versions have logged it',
    { ...command(1), channel: ofGroup, secondChannel: ofJob },
  ],
])('%s is of the channels that its message is published on', (_, logged) => {
  const item = parseLogItem(logged);
  const found = [job, group, share, ...anothers].filter((channel) => isPublishedOn(channel, item));
  expect(found).toEqual(findChannels(JSON.parse(item.message) as Parameters<typeof findChannels>[0]));
});
