import type { Sequenced } from '../../../domain/sequence';
import type { DeviceState } from '../../../domain/telemetry';

export interface Told extends Sequenced {
  readonly deviceGroupId?: unknown;
  readonly jobId?: unknown;
  readonly sensorPayload?: DeviceState['sensorPayload'];
}

/**
 * A sample as a viewer of a share gets it: what was shared is one device, so neither its group nor the job that it flies is
 * named, and of what its sensors say where the camera looks; the rest is the maker's own and may hold anything.
 */
export function viewerMessage<Message extends Told>(message: Message) {
  const { deviceGroupId: _group, jobId: _job, sensorPayload, ...seen } = message;
  const orientation = sensorPayload?.camera?.orientation;
  return { ...seen, type: message.type, ...(orientation && { sensorPayload: { camera: { orientation } } }) };
}
