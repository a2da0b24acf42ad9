import { isPointDue, savePoint } from '../../../data/fleet/flight-track';
import type { Device } from '../../../domain/fleet';
import type { TakeOff } from '../../../domain/flight';
import type { DeviceState } from '../../../domain/telemetry';
import { logger } from '../../logger';

/**
 * Adds the position of a state that is being stored to the track of the device's flight, if it is due. Never fails: a track
 * with a gap is better than telemetry that is refused.
 * @param device as it was before
 * @param takeOff of the flight that it is in with this state; undefined when it is not in flight
 */
export async function recordTrack(device: Device, state: DeviceState, takeOff: TakeOff | undefined): Promise<void> {
  if (!isPointDue(device, state, takeOff)) return;
  try {
    await savePoint(device.deviceId, state);
  } catch (error) {
    logger.warn('a point of a track could not be stored', { deviceId: device.deviceId, error });
  }
}
