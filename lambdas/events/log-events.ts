import { findChannels, channels as statusChannels, type Channel } from '../../contract/channels/status-channels';
import { appendEvents } from '../../data/events/append-events';
import { lastCursor } from '../../data/events/log-end';
import type { NewEvent } from '../../data/events/write-events';
import { channelKey } from '../../data/store/channel-key';
import {
  parseChange,
  recordedAt,
  itemIdentity,
  parseTopicSubscribers,
  type StreamRecord,
} from '../../data/channels/stream-records';
import { formatCursor } from '../../domain/events/cursor';
import { organisationOf, type Organisation } from '../../domain/values/id';
import { eventsBetween, isLogged, type Change, type StatusEvent } from '../../domain/channels/status-event';
import type { StatusMessage } from '../../domain/channels/status-message';
import { memoise } from '../runtime/concurrency';

/** The change in a stream record, and the messages to publish; those that the log has carry their cursor. */
export interface PublishableChange {
  readonly change: Change;
  readonly events: readonly StatusEvent[];
}

/**
 * The change of a record, once its events are in the log; undefined when it causes no message.
 * @throws UnreadableRecord; the error of the log, for the records of that organisation
 */
export type RecordEvents = (record: StreamRecord) => Promise<PublishableChange | undefined>;

/**
 * Appends the events of a batch of stream records to the event logs: those of each organisation together, at the same time.
 * @returns `eventsOf`: see {@link RecordEvents}; `orderOf`: what a record has to keep its order in: its item, and the channels of
 *   its logged events
 */
export function logEvents(records: readonly StreamRecord[]) {
  const results = new Map(records.map((record) => [record, readOrFailure(record)]));
  const reads = new Map([...results].flatMap(([record, { found }]) => (found ? [[record, found] as const] : [])));
  const cursors = appendAll(reads);
  const eventsOf: RecordEvents = async (record) => {
    const { found, failure } = results.get(record) ?? {};
    if (failure) throw failure as Error;
    if (!found) return undefined;
    const [first] = found.logged;
    const numbered = first && (await cursors.get(organisationOfChannels(first.channels)));
    const events = found.events.map((event) => {
      const cursor = numbered?.get(event);
      return cursor === undefined ? event : { ...event, message: { ...event.message, cursor } };
    });
    return { change: found.change, events };
  };
  const orderOf = (record: StreamRecord) => [
    itemIdentity(record),
    ...(reads.get(record)?.logged ?? []).flatMap(({ channels }) => channels.map(channelKey)),
  ];
  return { eventsOf, orderOf };
}

interface ReadRecord {
  readonly change: Change;
  readonly events: readonly StatusEvent[];
  /** Those events that belong into the log. */
  readonly logged: readonly { readonly event: StatusEvent; readonly channels: readonly Channel[] }[];
}

function read(record: StreamRecord): ReadRecord | undefined {
  const change = parseChange(record);
  if (!change) return undefined;
  const events = eventsBetween(change, recordedAt(record));
  const logged = events
    .filter((event) => isLogged(change, event))
    .map((event) => ({ event, channels: findChannels(event.message) }));
  return { change, events, logged };
}

/** A record that can't be read fails when it is its turn, not the whole batch. */
function readOrFailure(record: StreamRecord): { readonly found?: ReadRecord | undefined; readonly failure?: unknown } {
  try {
    return { found: read(record) };
  } catch (failure) {
    return { failure };
  }
}

/** The organisation in whose log an event is: for a command that of its group, which is its last channel. */
function organisationOfChannels(channels: readonly Channel[]): Organisation {
  const channel = channels.at(-1);
  return (channel && organisationOf(channel.kind, channel.id)) ?? '';
}

/** The channel in whose timeline a message is: the one of its own type. So a command, which others carry, is in none. */
const timelineOf = ({ type }: StatusMessage, channels: readonly Channel[]): Channel | undefined =>
  channels.find(({ kind }) => statusChannels[kind].messageType === type);

/** Appends the events of all records, those of each organisation together, and returns the cursor of each. */
function appendAll(reads: ReadonlyMap<StreamRecord, ReadRecord>) {
  const byOrganisation = new Map<Organisation, { event: StatusEvent; added: NewEvent }[]>();
  for (const [record, { logged }] of reads)
    for (const { event, channels } of logged) {
      const organisation = organisationOfChannels(channels);
      const createdAt = Math.floor(Date.parse(recordedAt(record)) / 1000);
      const added = { channel: timelineOf(event.message, channels), message: event.message, createdAt };
      byOrganisation.set(organisation, [...(byOrganisation.get(organisation) ?? []), { event, added }]);
    }
  const cursors = new Map<Organisation, Promise<ReadonlyMap<StatusEvent, string>>>();
  for (const [organisation, all] of byOrganisation) {
    const appended = appendEvents(
      organisation,
      all.map(({ added }) => added),
    ).then(
      (numbers) => new Map(all.map(({ event }, index) => [event, formatCursor(organisation, numbers[index] ?? 0)])),
    );
    // Whoever publishes one of these events gets the error.
    appended.catch(() => undefined);
    cursors.set(organisation, appended);
  }
  return cursors;
}

/** The cursor of an organisation's snapshots in a batch. @throws the error of the event log */
export type CursorOf = (organisation: Organisation) => Promise<string>;

/**
 * Reads the cursor of each organisation that has a new subscriber in a batch of stream records. Call it before the
 * events of the batch are appended to the log: what the log has after this cursor is published after the snapshot. A
 * change of the batch that the snapshot already contains may be published again after it.
 */
export async function snapshotCursors(records: readonly StreamRecord[]): Promise<CursorOf> {
  const cursorOf = memoise(lastCursor, (organisation) => organisation);
  const subscribed = records.map(parseTopicSubscribers).filter(({ isNew }) => isNew);
  // Whoever publishes a snapshot gets the error.
  await Promise.allSettled(subscribed.map(({ organisation }) => cursorOf(organisation)));
  return cursorOf;
}
