import { CONTROLS_PER_MINUTE } from '../../domain/control';
import { limitRate } from './limit-rate';

/**
 * Counts a viewer's command against the limits of its share and of the device.
 * @param shareId digest of the share code
 * @throws Refusal `too_many_requests`
 */
export async function limitControl(shareId: string, deviceId: string, now: Date): Promise<void> {
  // The share first: a command that is refused for its share must not use up the limit of the device's other shares.
  await limitRate(`control#${shareId}`, CONTROLS_PER_MINUTE.share, now);
  await limitRate(`control#${deviceId}`, CONTROLS_PER_MINUTE.device, now);
}
