import { noDevice } from '../../domain/dispatch/candidate';
import type { Organisation } from '../../domain/values/id';
import { lookAtDevices, type Nearest, type DispatchTarget } from './look-at-devices';

/**
 * Takes the nearest device that is free.
 * @param now ISO 8601
 * @param take claims a device, with those that were looked at so far, nearest first; undefined when another call has claimed it
 * @returns what was taken
 * @throws Refusal `no_device` with the reasons
 */
export async function takeNearest<Taken>(
  organisation: Organisation,
  target: DispatchTarget,
  now: string,
  take: (device: Nearest, candidates: readonly Nearest[]) => Promise<Taken | undefined>,
): Promise<Taken> {
  const looked: Nearest[] = [];
  for await (const known of lookAtDevices(organisation, target, now)) {
    for (const [index, device] of known.entries()) {
      const taken = device.reason ? undefined : await take(device, [...looked, ...known]);
      if (taken !== undefined) return taken;
      known[index] = { reason: 'BUSY', ...device };
    }
    looked.push(...known);
  }
  throw noDevice(looked);
}
