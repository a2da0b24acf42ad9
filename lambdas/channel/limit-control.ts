import { CONTROLS_PER_MINUTE } from '../../domain/control';
import { limitRate } from './limit-rate';

/**
 * Counts a command of a viewer over its share and over all shares of the device.
 * @param shareId digest of the share code
 * @throws Refusal `too_many_requests`
 */
export async function limitControl(shareId: string, deviceId: string, now: Date): Promise<void> {
  // The share first: what is refused over one share is not taken from the others of the device.
  await limitRate(`control#${shareId}`, CONTROLS_PER_MINUTE.share, now);
  await limitRate(`control#${deviceId}`, CONTROLS_PER_MINUTE.device, now);
}
