import type { SimulatedDevice } from './inventory';

/** Parts of a second in which devices report: all at once would be a burst that no real fleet makes. */
export const PHASES = 5;

const sortKeyOf = ({ deviceGroupId, deviceId }: SimulatedDevice) => `${deviceGroupId} ${deviceId}`;

/** Distributes devices evenly over the phases, those of a group next to each other. */
export function inPhases(devices: readonly SimulatedDevice[]): SimulatedDevice[][] {
  const sorted = devices.toSorted((one, other) => (sortKeyOf(one) < sortKeyOf(other) ? -1 : 1));
  const phases = Array.from({ length: PHASES }, (): SimulatedDevice[] => []);
  sorted.forEach((device, index) => phases[Math.floor((index * PHASES) / sorted.length)]?.push(device));
  return phases;
}
