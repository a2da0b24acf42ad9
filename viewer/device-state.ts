import type { Telemetry } from './messages';

/**
 * What is known of the device after a sample. A sample holds what the device knows just then: one may bring the position
 * and the next one the battery alone, so what it leaves out stays as it was.
 */
export function after(before: Telemetry | undefined, sample: Telemetry): Telemetry {
  if (!before) return sample;
  return {
    ...before,
    ...sample,
    navigation: { ...before.navigation, ...sample.navigation },
    battery: { ...before.battery, ...sample.battery },
    ...((before.weather ?? sample.weather) && { weather: { ...before.weather, ...sample.weather } }),
  };
}
