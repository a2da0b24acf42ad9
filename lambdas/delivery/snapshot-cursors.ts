import { lastCursor } from '../../data/events/cursors';
import { topicAudienceOf, type StreamRecord } from '../../data/store/stream-records';
import type { Organisation } from '../../domain/id';
import { memoise } from './memoise';

/** The cursor of an organisation's snapshots in a batch. @throws the error of the event log */
export type CursorOf = (organisation: Organisation) => Promise<string>;

/**
 * Reads the cursor of each organisation that has a new subscriber in a batch of stream records, and waits until it is read: call it
 * before the events of the batch are appended to the log. What the log has after this cursor is published after the snapshot; changes
 * of the batch that the snapshot contains may come again after it, as any message may.
 */
export async function snapshotCursors(records: readonly StreamRecord[]): Promise<CursorOf> {
  const cursorOf = memoise(lastCursor, (organisation) => organisation);
  const subscribed = records.map(topicAudienceOf).filter(({ isNew }) => isNew);
  // Whoever publishes a snapshot gets the error.
  await Promise.allSettled(subscribed.map(({ organisation }) => cursorOf(organisation)));
  return cursorOf;
}
