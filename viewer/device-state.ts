import type { Telemetry, FlightInfo } from './parse-message';

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

/** What the page knows about the flight beyond the newest state. */
export interface Flight {
  /** Altitude of the take-off in metres above sea level; undefined while unknown. */
  readonly takeOffAltitude: number | undefined;
  /** Whether the drone flies; true also when its state is not known. */
  readonly inFlight: boolean;
  /** Takes in the device's state. @returns true when the drone takes off with it, so that a new flight begins */
  onState(state: Telemetry): boolean;
  /** Takes in what the server knows about the flight. */
  onInfo(info: FlightInfo): void;
}

/** States of a drone that stands; every other one, also a state that the page does not know, is a flight. */
const onGround: readonly (string | undefined)[] = ['LANDED', 'DOCKED'];

/** The take-off is the server's if it knows it, else the last place where this page saw the drone on the ground. */
export function createFlight(): Flight {
  let takeOffAltitude: number | undefined;
  let state: Telemetry | undefined;
  const stands = () => onGround.includes(state?.droneState);

  return {
    get takeOffAltitude() {
      return takeOffAltitude;
    },
    get inFlight() {
      return !stands();
    },
    onState(next) {
      const stood = stands();
      state = next;
      if (stands()) takeOffAltitude = next.navigation?.position?.coordinates[2] ?? takeOffAltitude;
      return stood && !stands();
    },
    onInfo({ takeOff }) {
      if (takeOff && !stands()) takeOffAltitude = takeOff.altitude;
    },
  };
}
