import type { DeviceTelemetryMessage, ViewerTelemetryMessage } from '../../contract/socket-messages';

/** The message for a viewer of a share, which has fewer fields. */
export function viewerMessage(message: DeviceTelemetryMessage): ViewerTelemetryMessage {
  const { deviceGroupId: _group, jobId: _job, sensorPayload, ...visible } = message;
  const orientation = sensorPayload?.camera?.orientation;
  return { ...visible, ...(orientation && { sensorPayload: { camera: { orientation } } }) };
}
