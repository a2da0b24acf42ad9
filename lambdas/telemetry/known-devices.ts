import type { Device } from '../../domain/fleet';
import { sequenceOf } from '../../domain/telemetry';

/** How long a device that was read or written counts as one of the fleet, in ms: one that is removed meanwhile fails its write only. */
const KNOWN_FOR_MS = 60_000;
const MAX_KNOWN = 10_000;

interface KnownDevice {
  readonly device: Device;
  /** Unix milliseconds. */
  readonly until: number;
}

/** Devices as this instance read or wrote them last, and the sequence of the latest sample that it accepted of each. */
const known = new Map<string, KnownDevice>();
const latest = new Map<string, number>();

/** The device as this instance knows it, undefined after a while. */
export function knownDevice(deviceId: string, now: Date): Device | undefined {
  const found = known.get(deviceId);
  return found && found.until > now.getTime() ? found.device : undefined;
}

/** Sequence of the latest sample of a device, as far as this instance knows; 0 for none. Between two writes it is only in memory. */
export const latestSequence = ({ deviceId, lastState }: Device): number =>
  Math.max(latest.get(deviceId) ?? 0, lastState ? sequenceOf(lastState) : 0);

/** Remembers a device that was read or written just now. @param sequence of the latest sample that was accepted, if one was */
export function rememberDevice(device: Device, now: Date, sequence?: number): void {
  if (known.size >= MAX_KNOWN) known.clear();
  known.set(device.deviceId, { device, until: now.getTime() + KNOWN_FOR_MS });
  if (sequence === undefined) return;
  if (latest.size >= MAX_KNOWN) latest.clear();
  latest.set(device.deviceId, sequence);
}

/** Forgets a device whose samples may not have been accepted: they must count as new when they are sent again. */
export function forgetDevice(deviceId: string): void {
  known.delete(deviceId);
  latest.delete(deviceId);
}
