/**
 * The recent end of an event log: which events its last entries are, so that a stream record that comes twice makes no second
 * entry. It is part of the log's head and written with each batch: as binary, so that the item stays under 1 kB, one write unit.
 */
import { createHash } from 'node:crypto';

const HASH_BYTES = 6;
const TIME_BYTES = 4;
const ENTRY_BYTES = HASH_BYTES + TIME_BYTES;
const MAX_ENTRIES = 90;

/** DynamoDB's time of a stream record and the clock of a function may differ so much, in seconds. */
const CLOCK_SKEW_S = 2;

const hashOf = (identity: string) => createHash('sha256').update(identity).digest().subarray(0, HASH_BYTES);

const entriesIn = (recent: Uint8Array) =>
  Array.from({ length: recent.length / ENTRY_BYTES }, (_, index) =>
    Buffer.from(recent).subarray(index * ENTRY_BYTES, (index + 1) * ENTRY_BYTES),
  );

/**
 * The number of an event that is in the recent end.
 * @param last number of the last entry
 */
export function findRecent(recent: Uint8Array, last: number, identity: string): number | undefined {
  const hash = hashOf(identity);
  const entries = entriesIn(recent);
  const index = entries.findIndex((entry) => entry.subarray(0, HASH_BYTES).equals(hash));
  return index < 0 ? undefined : last - entries.length + 1 + index;
}

/**
 * Whether every entry that can be about a change of this time is in the recent end: the oldest in it is older than the change.
 * @param createdAt of the stream record, Unix seconds
 */
export function reachesBackTo(recent: Uint8Array, createdAt: number): boolean {
  const entries = entriesIn(recent);
  const oldest = entries[0]?.readUInt32BE(HASH_BYTES) ?? 0;
  return entries.length < MAX_ENTRIES || createdAt > oldest + CLOCK_SKEW_S;
}

/**
 * The recent end with further entries.
 * @param now Unix seconds
 */
export function withEvents(recent: Uint8Array, identities: readonly string[], now: number): Uint8Array<ArrayBuffer> {
  const added = identities.map((identity) => {
    const time = Buffer.alloc(TIME_BYTES);
    time.writeUInt32BE(now);
    return Buffer.concat([hashOf(identity), time]);
  });
  return new Uint8Array(Buffer.concat([...entriesIn(recent), ...added].slice(-MAX_ENTRIES)));
}
