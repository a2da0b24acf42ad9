import {
  PutCommand,
  TransactWriteCommand,
  type PutCommandOutput,
  type TransactWriteCommandOutput,
} from '@aws-sdk/lib-dynamodb';
import { acme, rival } from '../../domain/fixtures/samples';
import { storeOnEngine } from '../fixtures/engine';
import { store } from '../fixtures/store';
import { command, job, jobs, newInstance, range } from './instances';
import { givenLogTable } from './log-table';

const engine = storeOnEngine('events');

async function unitsOf(name: 'PutCommand' | 'TransactWriteCommand', input: object): Promise<number | undefined> {
  const answer = await engine.answers(name)({ ...input, ReturnConsumedCapacity: 'TOTAL' });
  const { ConsumedCapacity } = answer as PutCommandOutput | TransactWriteCommandOutput;
  return [ConsumedCapacity].flat()[0]?.CapacityUnits;
}

describe('Write units', () => {
  test.each([
    ['two for a change on its own, its index included', acme, job(2), 2],
    ['one for that of a command, which is in no index', rival, command(2), 1],
  ])('are %s', async (_, organisation, change, units) => {
    givenLogTable();
    const { appendEvents } = await newInstance();
    await appendEvents(organisation, [job(1)]);
    await appendEvents(organisation, [change]);
    const [put] = store.commandCalls(PutCommand);
    if (!put) throw new Error('the event was not put');
    expect(await unitsOf('PutCommand', put.args[0].input)).toBe(units);
  });

  test.each([
    ['three for a change of a batch', acme, job, 3],
    ['two for that of a command', rival, command, 2],
  ])('are %s', async (_, organisation, changeOf, units) => {
    givenLogTable();
    const { appendEvents } = await newInstance();
    await appendEvents(organisation, jobs(1, 9));
    await appendEvents(
      organisation,
      range(10, 19).map((number) => changeOf(number)),
    );
    const transaction = store.commandCalls(TransactWriteCommand).at(-1);
    if (!transaction) throw new Error('the events were not written together');
    expect(await unitsOf('TransactWriteCommand', transaction.args[0].input)).toBe(units * 10);
  });
});
