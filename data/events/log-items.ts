/**
 * The items of the event log: one for each event, in the list of its organisation, in the order of its number. An index has the
 * events of each channel in the same order, but those about commands. At the end of the list is its head, which is
 * written once for a thousand events: it tells how far the numbers went when all events have expired.
 */
import * as z from 'zod/mini';
import type { Organisation, Resource } from '../../domain/values/id';
import type { StatusMessage } from '../../domain/channels/status-message';
import { channelKey } from '../store/channel-key';

/** Sort key of a head. */
export const HEAD = Number.MAX_SAFE_INTEGER;

/** An event of the log. */
export interface LoggedEvent {
  readonly number: number;
  readonly message: StatusMessage;
}

const item = z.object({
  number: z.int(),
  /**
   * In whose timeline it is, the key of the index. None about a command has one; those of earlier versions have their
   * group's.
   */
  channel: z.optional(z.string()),
  message: z.string(),
  /** When it was logged, Unix seconds; the first events of the log have none. */
  loggedAt: z._default(z.int(), 0),
  /** Until when it is an event of its organisation, Unix seconds; the first events of the log have none, but expire then. */
  keptUntil: z.optional(z.int()),
  /** Until when it is an event of its channel, Unix seconds: then DynamoDB deletes the item, with a delay. */
  ttl: z.int(),
});
export type LogItem = z.output<typeof item>;

export const parseLogItem = (found: unknown): LogItem => item.parse(found);

const head = z.object({ last: z.int() });
/** How many events share one write of the head. */
const THOUSAND = 1000;

/** The end of the thousand that a number is in. */
export const endOfThousand = (number: number): number => Math.ceil(number / THOUSAND) * THOUSAND;

/**
 * The number after which a log without events goes on: those of the thousand that had begun may have been given. The log of a
 * new organisation has no head.
 */
export const endWithoutEvents = (found: unknown): number =>
  found === undefined ? 0 : endOfThousand(head.parse(found).last);

/** Each event once, in order. The first events of the log are two items each, of which that of the channel is kept for longer. */
export function sortedByNumber(items: readonly LogItem[]): LogItem[] {
  const byNumber = new Map<number, LogItem>();
  for (const each of items) if (each.ttl >= (byNumber.get(each.number)?.ttl ?? 0)) byNumber.set(each.number, each);
  return [...byNumber.values()].sort((one, other) => one.number - other.number);
}

/** Whether an event is still part of its organisation's log. */
export const isEventKept = ({ keptUntil, ttl }: LogItem, now: Date): boolean =>
  (keptUntil ?? ttl) * 1000 > now.getTime();

/** Whether an event is still part of its channel's timeline; DynamoDB deletes expired items with a delay. */
export const isInTimeline = ({ ttl }: LogItem, now: Date): boolean => ttl * 1000 > now.getTime();

const messageIn = ({ message }: LogItem) => JSON.parse(message) as StatusMessage;

/** The event in an item; what this service stored as a message is one. */
export const eventIn = (found: LogItem): LoggedEvent => ({ number: found.number, message: messageIn(found) });

/** What is the same for an event each time its stream record comes, and of no other. */
export const eventIdentity = (message: StatusMessage): string => `${subjectIn(message)} ${message.sequence}`;

function subjectIn(message: StatusMessage): string {
  switch (message.type) {
    case 'job.status':
      return message.jobId;
    case 'device.status':
      // A device that moves leaves one group and joins another.
      return `${message.deviceGroupId} ${message.deviceId}`;
    case 'share.status':
      return message.shareCode;
    case 'command.status':
      return message.commandId;
  }
}

/** {@link eventIdentity} the event in an item. */
export const storedIdentity = (found: LogItem): string => eventIdentity(messageIn(found));

/** Whether an event is about a command that a channel carries: the job's, or the group's. */
export function isCommandOnChannel({ id }: Resource, found: LogItem): boolean {
  const message = messageIn(found);
  return message.type === 'command.status' && [message.jobId, message.deviceGroupId].includes(id);
}

/** Whether an event is published on a channel. */
export const isPublishedOn = (channel: Resource, found: LogItem): boolean =>
  found.channel === channelLog(channel) || isCommandOnChannel(channel, found);

/** Keys of the list of an organisation, and of a channel in the index. */
export const organisationLog = (organisation: Organisation) => `organisation#${organisation}`;
export const channelLog = (channel: Resource) => channelKey(channel);
