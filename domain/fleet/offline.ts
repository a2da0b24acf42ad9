/** When a device counts as offline. */
import type { Device } from './device';
import { isAtRest, REST_SAVE_INTERVAL_MS } from './state-saving';

/** A device counts as offline this long after its last report, in ms. */
export const OFFLINE_AFTER_MS = 30_000;

/** The longest time after which a device is offline, see {@link offlineAfter}, in ms. */
export const LONGEST_OFFLINE_AFTER_MS = OFFLINE_AFTER_MS + REST_SAVE_INTERVAL_MS;

/**
 * After how much time without a save a device is offline, in ms: at rest it may have reported until its next save was due, and
 * it is not offline before {@link OFFLINE_AFTER_MS} of silence.
 */
export const offlineAfter = ({ lastState }: Pick<Device, 'lastState'>): number =>
  lastState && isAtRest(lastState) ? LONGEST_OFFLINE_AFTER_MS : OFFLINE_AFTER_MS;
