import { offsetOf } from './plane';
import { dockPositionOf } from './dock-position';
import type { SimulatedDevice } from './inventory';
import type { Mission } from './missions';

/**
 * Which of the free devices flies a mission: the one that its job names, or one of its group, for a place or a line the nearest.
 * @param free in the order of the inventory, which decides where there is no place
 * @returns undefined when none of them can
 */
export function deviceFor(
  { deviceGroupId, deviceId, plan: { place, line } }: Pick<Mission, 'deviceGroupId' | 'deviceId' | 'plan'>,
  free: readonly SimulatedDevice[],
  seed: string,
): SimulatedDevice | undefined {
  const able = free.filter((one) => one.deviceGroupId === deviceGroupId && (deviceId ?? one.deviceId) === one.deviceId);
  const [longitude, latitude] = place?.location.coordinates ?? line?.waypoints[0] ?? [];
  if (longitude === undefined || latitude === undefined) return able[0];
  const metresOf = (one: SimulatedDevice) =>
    Math.hypot(...offsetOf(dockPositionOf(seed, one.deviceGroupId, one.deviceId), longitude, latitude));
  return able.toSorted((one, other) => metresOf(one) - metresOf(other))[0];
}
