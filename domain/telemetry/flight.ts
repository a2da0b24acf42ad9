import * as z from 'zod/mini';
import { airborneIn, isOnGround } from './drone-state';
import { measuredAt, type KnownState } from './known-state';
import { metresBetween, position, type DeviceState } from './sample';

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

/** A drone that is in the air again after this much silence, in ms, has landed in between: no battery lasts much longer. */
const MAX_SILENCE_MS = 30 * 60_000;

/** The flight that a device is in, or since when it stands: what its reports say together. */
export interface FlightPhase {
  /** The take-off of its flight; undefined when it is not in flight, as far as the known drone states say. */
  readonly takeOff?: TakeOff | undefined;
  /** Since when it has said that it stands, ISO 8601; undefined when it does not say so, or there was a silence. */
  readonly standsSince?: string | undefined;
}

/** What is known of a device: its state, and its flight. */
export interface FlightState extends FlightPhase {
  readonly lastState?: KnownState | undefined;
}

const round = (value: number, digits: number) => Number(value.toFixed(digits));
const altitudeIn = (state: DeviceState | undefined) => state?.navigation?.position?.coordinates[2];

/** A place so near, in metres, is the one where the device stood. */
const SAME_PLACE_METRES = 50;

/**
 * The altitude of the place where a device stands; undefined when its position may be of another one. After a silence that
 * is so unless it is still there: it may have been carried away, or have flown.
 */
function standingAltitude({ lastState, standsSince }: FlightState, next: DeviceState, silence: number) {
  const since = standsSince === undefined ? measuredAt(lastState, 'droneState') : Date.parse(standsSince);
  const at = measuredAt(lastState, 'navigation.position') ?? -Infinity;
  // The last position in the air is higher than the landing.
  if (since !== undefined && at < since) return undefined;
  const [before, after] = [lastState, next].map((state) => state?.navigation?.position?.coordinates);
  const isNear = before !== undefined && after !== undefined && metresBetween(before, after) <= SAME_PLACE_METRES;
  return silence <= MAX_SILENCE_ON_GROUND_MS || isNear ? altitudeIn(lastState) : undefined;
}

function takeOffAfter(device: FlightState, next: DeviceState, silence: number) {
  const { takeOff: before } = device;
  const airborne = airborneIn(next.droneState);
  if (airborne === false) return undefined;
  const goesOn = before !== undefined && (airborne === undefined || silence <= MAX_SILENCE_MS);
  if (!goesOn && airborne === undefined) return undefined;
  // The last position on the ground is that of the take-off.
  const altitude =
    before === undefined ? (standingAltitude(device, next, silence) ?? altitudeIn(next)) : altitudeIn(next);
  if (goesOn && (before.altitude !== undefined || altitude === undefined)) return before;
  const timestamp = goesOn ? before.timestamp : next.timestamp;
  return { timestamp, ...(altitude !== undefined && { altitude: round(altitude, 1) }) };
}

/** A device that was silent for longer, in ms, may have flown meanwhile: it is offline then (`domain/fleet/offline.ts`). */
const MAX_SILENCE_ON_GROUND_MS = 40_000;

function standsSinceAfter({ standsSince }: FlightState, { droneState, timestamp }: DeviceState, silence: number) {
  const goesOn = silence <= MAX_SILENCE_ON_GROUND_MS ? standsSince : undefined;
  if (droneState === undefined) return goesOn;
  return isOnGround(droneState) ? (goesOn ?? timestamp) : undefined;
}

/**
 * The flight that a device is in after a further state.
 * @param device as it was before
 * @param next what was not known before
 */
export function flightAfter(device: FlightState, next: DeviceState): FlightPhase {
  const silence = device.lastState ? Date.parse(next.timestamp) - Date.parse(device.lastState.timestamp) : 0;
  return { takeOff: takeOffAfter(device, next, silence), standsSince: standsSinceAfter(device, next, silence) };
}

/**
 * The flight that a device is in after a late state: if that says that the device stood since the take-off, the known
 * flight began there.
 */
export function flightAfterLate({ takeOff: before, ...phase }: FlightPhase, late: DeviceState): FlightPhase {
  if (!before || before.timestamp >= late.timestamp || !isOnGround(late.droneState))
    return { takeOff: before, ...phase };
  const altitude = altitudeIn(late);
  const { timestamp } = late;
  return { ...phase, takeOff: { timestamp, ...(altitude !== undefined && { altitude: round(altitude, 1) }) } };
}

/** The take-off of the flight that a device is in, if a late state belongs to that flight. */
export const takeOffOfLateState = (
  { takeOff }: FlightPhase,
  { timestamp, droneState }: DeviceState,
): TakeOff | undefined => (takeOff && takeOff.timestamp <= timestamp && !isOnGround(droneState) ? takeOff : undefined);

/** The position of a state, to about 10 cm and 0.1 m/s, and when it was measured; undefined when it has none. */
export function toTrackPoint(state: KnownState): TrackPoint | undefined {
  const { navigation } = state;
  const at = measuredAt(state, 'navigation.position');
  if (!navigation?.position || at === undefined) return undefined;
  const [longitude, latitude, altitude] = navigation.position.coordinates;
  const groundSpeed = navigation.velocity?.groundSpeed;
  return {
    timestamp: new Date(at).toISOString(),
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
