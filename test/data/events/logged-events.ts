import { HEAD, organisationLog } from '../../../data/events/log-items';
import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import { jobMessage } from '../../../domain/status-event';
import { acme, id, sampleJob } from '../../domain/fixtures/samples';
import { store } from '../fixtures/store';
import { givenLogTable, type Item } from './log-table';

export const now = new Date('2026-11-27T10:30:00.000Z');
export const nowS = now.getTime() / 1000;
/** Of events that were logged long ago. */
export const long = nowS - 3600;
export const log = organisationLog(acme);
export const job = { kind: 'job', id: id('job') } as const;
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
