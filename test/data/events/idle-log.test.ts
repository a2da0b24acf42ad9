import { HEAD, organisationLog } from '../../../data/events/log-items';
import { missedEvents } from '../../../data/events/missed-events';
import { readEvents } from '../../../data/events/read-events';
import { acme } from '../../domain/fixtures/samples';
import { DAY_S, job, jobs, later, newInstance } from './instances';
import { givenLogTable } from './log-table';

const log = organisationLog(acme);

describe('The log of an idle organisation', () => {
  test('has a head, which is written with the event that begins a thousand only', async () => {
    const table = givenLogTable();
    const { appendEvents } = await newInstance();
    await appendEvents(acme, jobs(1, 1000));
    const head = () => table.items.find(({ number }) => number === HEAD)?.['last'];
    expect(head()).toBe(99);
    await appendEvents(acme, [job(1001)]);
    expect(head()).toBe(1001);
    await appendEvents(acme, [job(1002)]);
    expect(head()).toBe(1001);
  });

  test('goes on with later numbers after all its events were deleted', async () => {
    const table = givenLogTable();
    await (await newInstance()).appendEvents(acme, jobs(1, 1005));
    later(91 * DAY_S);
    table.deleteExpired(Date.now() / 1000);
    expect(table.numbers(log)).toEqual([]);
    await expect(readEvents(acme, 2000, 50, new Date())).resolves.toEqual({ events: [], last: 2000 });
    const { appendEvents } = await newInstance();
    await expect(appendEvents(acme, [job(1, 2)])).resolves.toEqual([2001]);
    await expect(appendEvents(acme, [job(1, 3)])).resolves.toEqual([2002]);
    await expect(readEvents(acme, 2000, 50, new Date())).resolves.toMatchObject({ last: 2002 });
    // What was logged between may have been deleted.
    await expect(readEvents(acme, 1005, 50, new Date())).resolves.toBeUndefined();
    later(91 * DAY_S);
    table.deleteExpired(Date.now() / 1000);
    await expect((await newInstance()).appendEvents(acme, [job(1, 4)])).resolves.toEqual([3001]);
  });

  test('goes on with the next number after its events are no longer kept', async () => {
    const table = givenLogTable();
    await (await newInstance()).appendEvents(acme, jobs(1, 5));
    later(8 * DAY_S);
    table.deleteExpired(Date.now() / 1000);
    await expect((await newInstance()).appendEvents(acme, [job(6)])).resolves.toEqual([6]);
    await expect(missedEvents(acme, job(6).channel, 5, 10, new Date())).resolves.toMatchObject([{ number: 6 }]);
  });
});
