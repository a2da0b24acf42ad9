import * as z from 'zod/mini';
import { position, type DeviceState } from './sample';

/** The beginning of a flight: ISO 8601, and metres above mean sea level if a position was reported by then. */
export const takeOff = z.object({ timestamp: z.string(), altitude: z.optional(z.number()) });
export type TakeOff = z.output<typeof takeOff>;

/** A position of a flight: ISO 8601; longitude, latitude, metres above mean sea level; metres per second. */
export const trackPoint = z.object({
  timestamp: z.string(),
  coordinates: position.shape.coordinates,
  groundSpeed: z.optional(z.number()),
});
export type TrackPoint = z.output<typeof trackPoint>;

/** Drone states by what they say about a flight. Another state, or none, says nothing: the flight goes on, or none begins. */
const isAirborne: Readonly<Record<string, boolean>> = {
  LANDED: false,
  DOCKED: false,
  MANUAL: true,
  GPS_NORMAL: true,
  WAYPOINT: true,
  HOVER: true,
  ORBIT: true,
  RETURNING: true,
};

/** Whether a drone state says that the drone is in the air; undefined when it says nothing. */
const airborneIn = (droneState: string = ''): boolean | undefined =>
  Object.hasOwn(isAirborne, droneState) ? isAirborne[droneState] : undefined;

/** Whether a drone state says that the drone stands. */
export const isOnGround = (droneState: string | undefined): boolean => airborneIn(droneState) === false;

/** A drone that is in the air again after this much silence, in ms, has landed in between: no battery lasts much longer. */
const MAX_SILENCE_MS = 30 * 60_000;

/** What is known of a device's flight: its last state, and its take-off while it is in flight. */
export interface FlightState {
  readonly lastState?: DeviceState | undefined;
  readonly takeOff?: TakeOff | undefined;
}

/** The take-off of the flight that a device is in, before and after a further state. */
export interface FlightChange {
  readonly before?: TakeOff | undefined;
  readonly after?: TakeOff | undefined;
}

const round = (value: number, digits: number) => Number(value.toFixed(digits));
const altitudeIn = (state: DeviceState | undefined) => state?.navigation?.position?.coordinates[2];

function after({ lastState, takeOff }: FlightState, next: DeviceState): TakeOff | undefined {
  const airborne = airborneIn(next.droneState);
  if (airborne === false) return undefined;
  const silence = lastState ? Date.parse(next.timestamp) - Date.parse(lastState.timestamp) : 0;
  const goesOn = takeOff !== undefined && (airborne === undefined || silence <= MAX_SILENCE_MS);
  if (!goesOn && airborne === undefined) return undefined;
  // The last position on the ground is that of the take-off.
  const altitude = takeOff === undefined ? (altitudeIn(lastState) ?? altitudeIn(next)) : altitudeIn(next);
  if (goesOn && (takeOff.altitude !== undefined || altitude === undefined)) return takeOff;
  const timestamp = goesOn ? takeOff.timestamp : next.timestamp;
  return { timestamp, ...(altitude !== undefined && { altitude: round(altitude, 1) }) };
}

/**
 * The take-off of the flight that a device is in after each of further states.
 * @param device as it was before them
 * @param states in order
 * @returns for each state; undefined when it is not in flight then, as far as the known drone states say
 */
export function takeOffsAfter(device: FlightState, states: readonly DeviceState[]): (TakeOff | undefined)[] {
  let known: FlightState = { lastState: device.lastState, takeOff: device.takeOff };
  return states.map((next) => {
    known = { lastState: next, takeOff: after(known, next) };
    return known.takeOff;
  });
}

/** The take-off of the flight that a device is in after further states, see {@link takeOffsAfter}. */
export const takeOffAfter = (device: FlightState, states: readonly DeviceState[]): TakeOff | undefined =>
  states.length === 0 ? device.takeOff : takeOffsAfter(device, states).at(-1);

/** The take-off of the flight that a device is in, if a late state belongs to that flight. */
export const takeOffOfLateState = (
  { takeOff }: FlightState,
  { timestamp, droneState }: DeviceState,
): TakeOff | undefined => (takeOff && takeOff.timestamp <= timestamp && !isOnGround(droneState) ? takeOff : undefined);

/** The position of a state, to about 10 cm and 0.1 m/s; undefined when it has none. */
export function toTrackPoint({ timestamp, navigation }: DeviceState): TrackPoint | undefined {
  if (!navigation?.position) return undefined;
  const [longitude, latitude, altitude] = navigation.position.coordinates;
  const groundSpeed = navigation.velocity?.groundSpeed;
  return {
    timestamp: new Date(timestamp).toISOString(),
    coordinates: [round(longitude, 6), round(latitude, 6), round(altitude, 1)],
    ...(groundSpeed !== undefined && { groundSpeed: round(groundSpeed, 1) }),
  };
}

/** At most `max` of the points, evenly chosen, with the first and the last one. */
export function thinOut<Point>(points: readonly Point[], max: number): readonly Point[] {
  if (points.length <= max) return points;
  const step = (points.length - 1) / (max - 1);
  return Array.from({ length: max }, (_, index) => points[Math.round(index * step)] as Point);
}
