/**
 * Devices whose samples several instances receive, more than one a second in all: what an instance remembers of such a device is
 * outdated by the next time that it writes, and a write that is refused costs five times a read (DynamoDB on-demand pricing).
 */

/** After so many reads in a row that found a write due, the device reports once a second again, or to this instance only. */
const DUE_READS = 3;
const MAX_DEVICES = 10_000;

/** How many reads in a row have found a write due. */
const dueReads = new Map<string, number>();

/** Whether the state of a device is read before it is written. */
export const isShared = (deviceId: string): boolean => dueReads.has(deviceId);

/** Notes that a write was too early, by what another instance had written. */
export function noteTooEarly(deviceId: string): void {
  if (dueReads.size >= MAX_DEVICES) dueReads.clear();
  dueReads.set(deviceId, 0);
}

/** Notes that a device was read. @param isDue whether a write was due */
export function noteRead(deviceId: string, isDue: boolean): void {
  const before = dueReads.get(deviceId);
  if (before === undefined) return;
  const count = isDue ? before + 1 : 0;
  if (count < DUE_READS) dueReads.set(deviceId, count);
  else dueReads.delete(deviceId);
}
