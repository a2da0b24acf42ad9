import type { NewEvent } from '../../../data/events/write-events';
import * as dynamodbClientModule from '@aws-sdk/client-dynamodb';
import * as commandsModule from '@aws-sdk/lib-dynamodb';
import * as zodModule from 'zod/mini';
import * as dynamodbModule from '../../../data/store/dynamodb';
import { eventsBetween, jobMessage } from '../../../domain/channels/status-event';
import type { CommandRecord } from '../../../domain/commands/command-record';
import type { Resource } from '../../../domain/values/id';
import { acme, id, sampleCommand, sampleJob } from '../../domain/fixtures/samples';
import { store } from '../fixtures/store';

const { PutCommand, TransactWriteCommand } = commandsModule;

const now = new Date('2026-11-27T10:30:00.000Z');
/** Time of the stream records, Unix seconds. */
export const createdAt = now.getTime() / 1000;
export const DAY_S = 86_400;

interface ChannelEvent extends NewEvent {
  readonly channel: Resource;
}

/** The change of a job. */
export const job = (number: number, sequence = 1): ChannelEvent => {
  const jobId = id('job', acme, String(number).padStart(26, '0'));
  return {
    channel: { kind: 'job', id: jobId },
    message: jobMessage(sampleJob({ jobId, version: sequence })),
    createdAt,
  };
};
export const channelOf = ({ channel }: ChannelEvent) => `job#${channel.id}`;

/** The change of a command. */
export function command(number: number, change: Partial<CommandRecord> = {}): NewEvent {
  const commandId = id('command', acme, String(number).padStart(26, '0'));
  const after = sampleCommand({ commandId, ...change });
  const [event] = eventsBetween({ kind: 'command', before: undefined, after, shareCode: undefined }, now.toISOString());
  if (!event) throw new Error('the change of a command is no event');
  return { message: event.message, createdAt };
}
export const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => from + index);
/** A change of each job. */
export const jobs = (from: number, to: number) => range(from, to).map((number) => job(number));

export type AppendEvents = typeof import('../../../data/events/append-events');

/** The module as a new instance of the function loads it, without what another instance remembers. */
export async function newInstance(): Promise<AppendEvents> {
  const loaded: AppendEvents[] = [];
  await jest.isolateModulesAsync(async () => {
    // The client that the tests mock, and its commands; and what takes long to load and remembers nothing.
    jest.doMock('../../../data/store/dynamodb', () => dynamodbModule);
    jest.doMock('@aws-sdk/lib-dynamodb', () => commandsModule);
    jest.doMock('@aws-sdk/client-dynamodb', () => dynamodbClientModule);
    jest.doMock('zod/mini', () => zodModule);
    loaded.push(await import('../../../data/events/append-events'));
  });
  const [module] = loaded;
  if (!module) throw new Error('the module was not loaded');
  return module;
}

/** How many transactions and puts were sent. */
export const transactions = () => store.commandCalls(TransactWriteCommand).length;
export const puts = () => store.commandCalls(PutCommand).length;

/** Lets time pass. */
export const later = (seconds: number) => jest.setSystemTime(Date.now() + seconds * 1000);

beforeEach(() => {
  process.env['EVENT_RETENTION_DAYS'] = '7';
  process.env['FLIGHT_RETENTION_DAYS'] = '90';
  jest.useFakeTimers({ now, doNotFake: ['nextTick', 'setImmediate', 'setTimeout', 'clearTimeout'] });
});
afterEach(() => {
  jest.useRealTimers();
});
