import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import { readCarriedCommands } from '../../../data/events/carried-commands';
import { acme, id } from '../../domain/fixtures/samples';
import { storeOnEngine } from '../fixtures/engine';
import { givenPages, store } from '../fixtures/store';
import { command, event, group, job, numbersOf, ofGroup } from './logged-events';

const engine = storeOnEngine('events');
const elsewhere = { jobId: id('job', acme, 'another'), deviceGroupId: id('group', acme, 'another') };

const logged = [
  command(1),
  command(2, { jobId: elsewhere.jobId }),
  command(3, { deviceGroupId: elsewhere.deviceGroupId }),
  command(4, elsewhere),
  // Of a job in the group, of which something is said that looks like a command.
  event(5, undefined, { message: JSON.stringify({ type: 'job.status', jobId: job.id, reasonText: 'command.status' }) }),
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
