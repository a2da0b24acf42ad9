import type { Telemetry } from './parse-message';

/**
 * Merges a sample into the known state. A sample may hold only some fields, such as the position or the battery: the
 * others keep their value.
 */
export function mergeSample(before: Telemetry | undefined, sample: Telemetry): Telemetry {
  if (!before) return sample;
  return {
    ...before,
    ...sample,
    navigation: { ...before.navigation, ...sample.navigation },
    battery: { ...before.battery, ...sample.battery },
    ...((before.weather ?? sample.weather) && { weather: { ...before.weather, ...sample.weather } }),
  };
}
