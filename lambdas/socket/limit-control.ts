import { countCall } from '../../data/rate-limit';
import { CONTROLS_PER_MINUTE } from '../../domain/control';
import { Refusal } from '../../domain/refusal';

const WINDOW_SECONDS = 60;

/** Whose window is used up, as far as this instance knows: a refusal then costs no write. */
const usedUp = new Map<string, number>();
const MOST_KNOWN = 10_000;

async function count(who: string, most: number, windowStart: number): Promise<void> {
  if (usedUp.get(who) === windowStart) throw new Refusal('too_many_requests');
  if ((await countCall(`control#${who}`, windowStart, most)) <= most) return;
  if (usedUp.size >= MOST_KNOWN) usedUp.clear();
  usedUp.set(who, windowStart);
  throw new Refusal('too_many_requests');
}

/**
 * Counts a command of a viewer, in windows of a minute, over its share and over all shares of the device.
 * @param shareId digest of the share code
 * @throws Refusal `too_many_requests`
 */
export async function limitControl(shareId: string, deviceId: string, now: Date): Promise<void> {
  const seconds = Math.floor(now.getTime() / 1000);
  const windowStart = seconds - (seconds % WINDOW_SECONDS);
  // The share first: what is refused over one share is not taken from the others of the device.
  await count(shareId, CONTROLS_PER_MINUTE.share, windowStart);
  await count(deviceId, CONTROLS_PER_MINUTE.device, windowStart);
}
