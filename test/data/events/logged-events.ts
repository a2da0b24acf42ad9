import { HEAD, organisationLog } from '../../../data/events/log-items';
import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import type { CommandRecord } from '../../../domain/commands/command-record';
import { eventsBetween, jobMessage } from '../../../domain/channels/status-event';
import { acme, id, sampleCommand, sampleJob } from '../../domain/fixtures/samples';
import { store } from '../fixtures/store';
import { givenLogTable, type Item } from './log-table';

export const now = new Date('2026-11-27T10:30:00.000Z');
export const nowS = now.getTime() / 1000;
/** Of events that were logged long ago. */
export const long = nowS - 3600;
export const log = organisationLog(acme);
export const job = { kind: 'job', id: id('job') } as const;
export const group = { kind: 'group', id: id('group') } as const;
export const ofGroup = `group#${group.id}`;
export const ofJob = `job#${id('job')}`;
export const other = `job#${id('job', acme, 'another')}`;

export const event = (number: number, channel = ofJob, fields: Item = {}): Item => ({
  log,
  number,
  channel,
  message: JSON.stringify(jobMessage(sampleJob({ version: number }))),
  loggedAt: long,
  keptUntil: nowS + 60,
  ttl: nowS + 3600,
  ...fields,
});
/** A change of a command of the job and the group. */
export function command(number: number, change: Partial<CommandRecord> = {}): Item {
  const after = sampleCommand({ version: number, ...change });
  const [logged] = eventsBetween(
    { kind: 'command', before: undefined, after, shareCode: undefined },
    now.toISOString(),
  );
  const { channel: _, ...item } = event(number, undefined, { message: JSON.stringify(logged?.message) });
  return item;
}
/** No longer events of the organisation, but of their channels. */
export const past = { keptUntil: nowS };
export const head = (last: number): Item => ({ log, number: HEAD, last });
export const events = (from: number, to: number, channel?: string, fields?: Item) =>
  Array.from({ length: to - from + 1 }, (_, index) => event(from + index, channel, fields));
export const numbersIn = (page: { events: readonly { number: number }[] } | undefined) =>
  page?.events.map(({ number }) => number);
export const numbersOf = (found: readonly { number: number }[] | undefined) => found?.map(({ number }) => number);

/** A log whose first query sees only a part of a transaction. */
export function givenPartialQuery(seen: readonly Item[], all: readonly Item[]): void {
  givenLogTable(all);
  store
    .on(QueryCommand)
    .resolvesOnce({ Items: [...seen] })
    .resolves({ Items: [...all] });
}

beforeEach(() => {
  jest.useFakeTimers({ now, doNotFake: ['nextTick', 'setImmediate', 'setTimeout'] });
});
afterEach(() => {
  jest.useRealTimers();
});
