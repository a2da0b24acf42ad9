import { commandToItem } from '../../../data/commands/commands';
import { organisationLog } from '../../../data/events/log-items';
import type { CommandRecord } from '../../../domain/commands/command-record';
import { logEvents } from '../../../lambdas/events/log-events';
import { storeOnEngine } from '../../data/fixtures/engine';
import { jobRecord, record } from '../../data/fixtures/stream-record';
import { acme, id, sampleCommand, sampleJob } from '../../domain/fixtures/samples';

const commandRecord = (command: CommandRecord) =>
  record({ deviceId: command.deviceId, commandId: command.commandId }, undefined, commandToItem(command, undefined));
const { jobId: _, ...withoutJob } = sampleCommand({ version: 2 });
const [ofJob, ofGroup] = [`job#${id('job')}`, `group#${id('group')}`];

const engine = storeOnEngine('events');
beforeEach(() => {
  process.env['EVENT_RETENTION_DAYS'] = '7';
  process.env['FLIGHT_RETENTION_DAYS'] = '90';
});

test.each([
  ['a change of a job is logged in its timeline', jobRecord(undefined, sampleJob()), ofJob, [ofJob]],
  ['a change of a command is logged in none', commandRecord(sampleCommand()), undefined, [ofJob, ofGroup]],
  ['one without a job neither', commandRecord(withoutJob), undefined, [ofGroup]],
])('%s, and kept in the order of its channels', async (__, changed, channel, channels) => {
  const { eventsOf, orderOf } = logEvents([changed]);
  await eventsOf(changed);
  const items = (await engine.all('events')).filter(({ message }) => message !== undefined);
  expect(items.map((item) => [item['log'], item['channel']])).toEqual([[organisationLog(acme), channel]]);
  expect(orderOf(changed).slice(1)).toEqual(channels);
});
