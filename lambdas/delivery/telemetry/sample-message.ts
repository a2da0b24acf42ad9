import type { Device } from '../../../domain/fleet';
import { sequenceOf, type DeviceState } from '../../../domain/telemetry';

/** A sample as its followers get it (DESIGN section 3). `now` is when it came in. */
export const sampleMessage = ({ deviceId, deviceGroupId }: Device, state: DeviceState, now: Date) => ({
  type: 'device.telemetry' as const,
  deviceId,
  deviceGroupId,
  sequence: sequenceOf(state),
  receivedAt: now.toISOString(),
  ...state,
});

/** The last known state of a device as a message, or undefined when it never reported. */
export const snapshotMessage = (device: Device, now: Date) =>
  device.lastState && {
    ...sampleMessage(device, device.lastState, new Date(device.reportedAt ?? now)),
    snapshot: true as const,
  };
