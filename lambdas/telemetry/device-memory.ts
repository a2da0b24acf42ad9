/** What an instance remembers of the devices whose samples it received. */
import type { Device } from '../../domain/fleet';
import { sequenceOf } from '../../domain/telemetry';

const MAX_DEVICES = 10_000;
/** How long a device that was read or written counts as one of the fleet, in ms: one that is removed meanwhile fails its write only. */
const KNOWN_FOR_MS = 60_000;
/** After so many reads in a row that found a write due, a shared device reports once a second again, or to this instance only. */
const DUE_READS = 3;

interface DeviceMemory {
  /** The device as it was read or written last, and until when that counts, Unix ms. */
  readonly known?: { readonly device: Device; readonly until: number };
  /** Sequence of the latest sample that was accepted: between two writes it is only in memory. */
  readonly latest?: number;
  /** How many reads in a row have found a write due; undefined unless the device is shared among instances. */
  readonly dueReads?: number;
}

const memory = new Map<string, DeviceMemory>();

/** The device that was not remembered anew for longest makes room. */
function keep(deviceId: string, remembered: DeviceMemory): void {
  memory.delete(deviceId);
  const [oldest] = memory.keys();
  if (memory.size >= MAX_DEVICES && oldest !== undefined) memory.delete(oldest);
  memory.set(deviceId, remembered);
}

/** The device as this instance knows it, undefined after a while. */
export function knownDevice(deviceId: string, now: Date): Device | undefined {
  const known = memory.get(deviceId)?.known;
  return known && known.until > now.getTime() ? known.device : undefined;
}

/** Sequence of the latest sample of a device, as far as this instance knows; 0 for none. */
export const latestSequence = ({ deviceId, lastState }: Device): number =>
  Math.max(memory.get(deviceId)?.latest ?? 0, lastState ? sequenceOf(lastState) : 0);

/** Remembers a device that was read or written just now. @param sequence of the latest sample that was accepted, if one was */
export function rememberDevice(device: Device, now: Date, sequence?: number): void {
  const known = { device, until: now.getTime() + KNOWN_FOR_MS };
  keep(device.deviceId, { ...memory.get(device.deviceId), known, ...(sequence !== undefined && { latest: sequence }) });
}

/** Forgets a device whose samples may not have been accepted: they must count as new when they are sent again. */
export function forgetDevice(deviceId: string): void {
  const dueReads = memory.get(deviceId)?.dueReads;
  if (dueReads === undefined) memory.delete(deviceId);
  else memory.set(deviceId, { dueReads });
}

/**
 * Whether several instances receive samples of a device, more than one a second in all: what an instance remembers of it is outdated by
 * the next time that it writes, and a write that is refused costs five times a read (DynamoDB on-demand pricing). So it is read first.
 */
export const isShared = (deviceId: string): boolean => memory.get(deviceId)?.dueReads !== undefined;

/** Notes that a write was too early, by what another instance had written. */
export const noteTooEarly = (deviceId: string): void => keep(deviceId, { ...memory.get(deviceId), dueReads: 0 });

/** Notes that a device was read. @param isDue whether a write was due */
export function noteRead(deviceId: string, isDue: boolean): void {
  const { dueReads, ...rest } = memory.get(deviceId) ?? {};
  if (dueReads === undefined) return;
  const count = isDue ? dueReads + 1 : 0;
  keep(deviceId, count < DUE_READS ? { ...rest, dueReads: count } : rest);
}
