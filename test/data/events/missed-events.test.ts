import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import { hasEventAfter, missedEvents, unsettledEvents } from '../../../data/events/missed-events';
import { deviceMessage } from '../../../domain/channels/status-event';
import { acme, id, sampleDevice } from '../../domain/fixtures/samples';
import { sent, store, givenPages } from '../fixtures/store';
import {
  command,
  event,
  events,
  givenPartialQuery,
  group,
  head,
  job,
  long,
  now,
  nowS,
  numbersOf,
  ofGroup,
  ofJob,
  other,
  past,
} from './logged-events';
import { givenLogTable, type Item } from './log-table';
import { readCarriedCommands } from '../../../data/events/carried-commands';
import { storeOnEngine } from '../fixtures/engine';

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
    const items = [...events(3, 6, other), event(7, ofGroup), ...events(8, 1001, other), event(1002, ofGroup)];
    givenLogTable([head(1), ...items]);
    expect(numbersOf(await missedEvents(acme, group, 3, 10, now))).toEqual([7, 1002]);
    expect(sent()).toHaveLength(4);
  });

  describe('of a channel with commands, in a log that has grown much since,', () => {
    const elsewhere = id('job', acme, 'another');
    const grown = [
      event(3),
      command(4),
      event(5),
      command(6, { jobId: elsewhere }),
      event(7, ofGroup),
      // As an earlier version has logged it.
      { ...command(8), channel: ofGroup, secondChannel: ofJob },
      ...events(9, 1001, other),
      command(1002),
    ];

    test.each([
      ['a job', job, [4, 5, 8, 1002]],
      ['a group', group, [4, 6, 7, 8, 1002]],
    ])('are for %s its changes by the index, and its commands by the list, each once', async (_, channel, expected) => {
      givenLogTable(grown);
      expect(numbersOf(await missedEvents(acme, channel, 3, 10, now))).toEqual(expected);
      expect(sent()).toHaveLength(4);
    });

    test('are for a share only its changes', async () => {
      const share = { kind: 'share', id: id('share') } as const;
      givenLogTable([...grown.slice(0, 4), event(7, `share#${share.id}`), ...grown.slice(5)]);
      expect(numbersOf(await missedEvents(acme, share, 3, 10, now))).toEqual([7]);
      expect(sent().filter(({ FilterExpression }) => FilterExpression !== undefined)).toEqual([]);
    });

    test.each([
      ['a job', job],
      ['a group', group],
    ])('are undefined for %s when too much has happened to search', async (_, channel) => {
      givenLogTable(grown);
      store
        .on(QueryCommand, { FilterExpression: 'contains(message, :type) AND contains(message, :id)' })
        .resolves({ Items: [], LastEvaluatedKey: { log: 'organisation', number: 5 } });
      await expect(missedEvents(acme, channel, 3, 10, now)).resolves.toBeUndefined();
    });
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
    ['an event among them is missing', [...events(3, 5), ...events(7, 9)], 10],
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
  const message = JSON.stringify(deviceMessage(sampleDevice(), now.toISOString()));
  const at = (number: number, seconds: number, channel = ofGroup) =>
    event(number, channel, { message, loggedAt: long + seconds });

  test('are those of the ten seconds before a number, of the channel only, without the index', async () => {
    givenLogTable([at(2, -30), at(3, -11), at(4, -10), at(5, -2, other), at(6, -1), at(7, 0), at(8, 0)]);
    expect(numbersOf(await unsettledEvents(acme, group, 7, now))).toEqual([4, 6, 7]);
    expect(sent()).toMatchObject([{ ConsistentRead: true }, { ConsistentRead: true }]);
  });

  test('are among the last thousand events of the organisation', async () => {
    givenLogTable(events(1, 2000, ofGroup, { message }));
    expect(numbersOf(await unsettledEvents(acme, group, 1500, now))?.at(0)).toBe(501);
  });

  test('are only those that are kept, even if DynamoDB has not deleted the others yet', async () => {
    givenLogTable([...events(1, 2, ofGroup, { message, ...past }), event(3, ofGroup, { message })]);
    expect(numbersOf(await unsettledEvents(acme, group, 3, now))).toEqual([3]);
  });

  test('are none before the first event, and none when the log no longer has the number', async () => {
    givenLogTable();
    await expect(unsettledEvents(acme, group, 0, now)).resolves.toEqual([]);
    givenLogTable([at(5, -1)]);
    await expect(unsettledEvents(acme, group, 6, now)).resolves.toEqual([]);
  });

  test.each([
    ['the commands only after a change of the job', 4, [2]],
    ['the changes too after a command', 5, [1, 2, 3, 4, 5]],
  ])('of a job are %s', async (_, upTo, expected) => {
    givenLogTable([event(1), command(2), event(3), event(4), command(5)]);
    expect(numbersOf(await unsettledEvents(acme, job, upTo, now))).toEqual(expected);
  });
});

describe('hasEventAfter', () => {
  test.each([
    ['an event that the index has', [...events(1, 4), ...events(5, 40, other)], true],
    ['no event', [...events(1, 3), ...events(4, 40, other)], false],
  ])('finds %s', async (_, items, expected) => {
    givenLogTable([head(1), ...items]);
    await expect(hasEventAfter(acme, job, 3, now)).resolves.toBe(expected);
  });

  test.each([
    ['of the index', [event(4, ofJob, { ttl: nowS }), ...events(5, 40, other)]],
    ['of the end of the log', [event(4, ofJob, { ttl: nowS, loggedAt: nowS })]],
  ])('finds no event %s that has expired', async (_, items) => {
    givenLogTable([head(1), ...events(1, 3), ...items]);
    await expect(hasEventAfter(acme, job, 3, now)).resolves.toBe(false);
  });

  test('finds an event that is kept after one that has expired', async () => {
    givenLogTable([head(1), ...events(1, 3), event(4, ofJob, { ttl: nowS }), event(5), ...events(6, 40, other)]);
    await expect(hasEventAfter(acme, job, 3, now)).resolves.toBe(true);
  });

  test('finds an event that the index does not have yet', async () => {
    givenLogTable([head(1), ...events(1, 3), event(4, ofJob, { loggedAt: nowS })]);
    store.on(QueryCommand, { IndexName: 'by-channel' }).resolves({ Items: [] });
    await expect(hasEventAfter(acme, job, 3, now)).resolves.toBe(true);
  });
});

describe('Carried commands', () => {
  const engine = storeOnEngine('events');
  const elsewhere = { jobId: id('job', acme, 'another'), deviceGroupId: id('group', acme, 'another') };

  const logged = [
    command(1),
    command(2, { jobId: elsewhere.jobId }),
    command(3, { deviceGroupId: elsewhere.deviceGroupId }),
    command(4, elsewhere),
    // Of a job in the group, of which something is said that looks like a command.
    event(5, undefined, {
      message: JSON.stringify({ type: 'job.status', jobId: job.id, reasonText: 'command.status' }),
    }),
    event(6, ofGroup),
    command(7, { jobId: undefined }),
    // As an earlier version has logged it.
    { ...command(8), channel: ofGroup, secondChannel: `job#${job.id}` },
    command(9),
  ];

  test.each([
    ['job', job, [1, 3, 8, 9], [3, 8]],
    ['group', group, [1, 2, 7, 8, 9], [2, 7, 8]],
  ])(
    'the commands of a %s are those of the organisation that are about it, in a range',
    async (_, channel, all, some) => {
      for (const item of logged) await engine.put('events', item);
      expect(numbersOf(await readCarriedCommands(acme, channel, 1, 9))).toEqual(all);
      expect(numbersOf(await readCarriedCommands(acme, channel, 2, 8))).toEqual(some);
    },
  );

  test('five pages are searched, and no more', async () => {
    const page = (number: number, hasMore: boolean) => ({
      Items: [command(number)],
      ...(hasMore && { LastEvaluatedKey: { log: 'organisation', number } }),
    });
    const given = (count: number) => {
      const pages = Array.from({ length: count }, (_, index) => page(index + 1, index + 1 < count));
      return givenPages(store.reset().on(QueryCommand), pages);
    };
    const five = given(5);
    expect(numbersOf(await readCarriedCommands(acme, job, 1, 9))).toEqual([1, 2, 3, 4, 5]);
    expect(five).toEqual([undefined, ...[1, 2, 3, 4].map((number) => ({ log: 'organisation', number }))]);
    const six = given(6);
    await expect(readCarriedCommands(acme, job, 1, 9)).resolves.toBeUndefined();
    expect(six).toHaveLength(5);
  });
});
