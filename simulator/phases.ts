import type { SimulatedDevice } from './inventory';

/** The parts of a second in which devices report: all at once would be a burst that no real fleet makes. */
export const PHASES = 5;

const placeOf = ({ deviceGroupId, deviceId }: SimulatedDevice) => `${deviceGroupId} ${deviceId}`;

/** Shares devices out among the parts of a second, evenly, those of a group next to each other. */
export function inPhases(devices: readonly SimulatedDevice[]): SimulatedDevice[][] {
  const sorted = devices.toSorted((one, other) => (placeOf(one) < placeOf(other) ? -1 : 1));
  const phases = Array.from({ length: PHASES }, (): SimulatedDevice[] => []);
  sorted.forEach((device, index) => phases[Math.floor((index * PHASES) / sorted.length)]?.push(device));
  return phases;
}
