/** What followers are sent of a sample; also its snapshot, so that whoever sends one needs nothing of the delivery. */
import type { DeviceTelemetryMessage, ViewerTelemetryMessage } from '../../contract/channels/socket-messages';
import { viewerTelemetryFields } from '../../contract/channels/viewer-telemetry-fields';
import type { Device } from '../../domain/fleet/device';
import { agesOf, shownState, type KnownState } from '../../domain/telemetry/known-state';
import { ageAt, sampleSequence } from '../../domain/telemetry/sample';

/** The message for a sample (DESIGN section 3). `now` is when the sample was received. */
export const sampleMessage = (
  { deviceId, deviceGroupId }: Device,
  state: KnownState,
  now: Date,
): DeviceTelemetryMessage => ({
  type: 'device.telemetry',
  deviceId,
  deviceGroupId,
  sequence: sampleSequence(state),
  receivedAt: now.toISOString(),
  ...state,
});

/** The message for the last known state of a device; undefined when it never reported. `now` is when it is sent. */
export const snapshotMessage = (device: Device, now: Date): DeviceTelemetryMessage | undefined =>
  device.lastState && {
    ...sampleMessage(device, shownState(device.lastState), new Date(device.reportedAt ?? now)),
    snapshot: true,
    age: ageAt(device.lastState, now),
  };

type Visible = Pick<DeviceTelemetryMessage, keyof typeof viewerTelemetryFields>;

/** The message for a viewer of a share, which has fewer fields. */
export function viewerMessage(message: DeviceTelemetryMessage): ViewerTelemetryMessage {
  const { sensorPayload, measuredBefore: _all, ...fields } = message;
  const orientation = sensorPayload?.camera?.orientation;
  const visible = Object.entries(fields).filter(([name]) => Object.hasOwn(viewerTelemetryFields, name));
  const measuredBefore = agesOf(message, Object.keys({ ...viewerTelemetryFields, sensorPayload }));
  return {
    ...(Object.fromEntries(visible) as Visible),
    ...(measuredBefore && { measuredBefore }),
    ...(orientation && { sensorPayload: { camera: { orientation } } }),
  };
}
