import { readCommandsOfJob } from '../../../data/events/channel-index';
import { id } from '../../domain/fixtures/samples';
import { storeOnEngine } from '../fixtures/engine';
import { event, job, numbersOf, ofJob, other } from './logged-events';

const engine = storeOnEngine('events');
const ofGroup = `group#${id('group')}`;

test('the commands of a job are those of its group that are about it, in a range', async () => {
  const commands = [1, 2, 3, 5, 6].map((number) => event(number, ofGroup, { secondChannel: ofJob }));
  const others = [event(4, ofGroup, { secondChannel: other }), event(7, ofGroup), event(8, ofJob)];
  for (const item of [...commands, ...others]) await engine.put('events', item);
  expect(numbersOf(await readCommandsOfJob(job, id('group'), { from: 2, to: 5 }))).toEqual([2, 3, 5]);
  expect(numbersOf(await readCommandsOfJob(job, id('group'), {}))).toEqual([1, 2, 3, 5, 6]);
});
