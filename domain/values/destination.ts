/** Where a job shall be flown to, what the drone does there, and how it flies. */
import * as z from 'zod/mini';
import { invalid, type Refusal } from './refusal';

/** What a drone does at its destination. */
export const actions = ['HOVER', 'ORBIT', 'MISSION'] as const;
export type Action = (typeof actions)[number];

const between = (min: number, max: number) => z.number().check(z.minimum(min), z.maximum(max));

/** A place: longitude and latitude in degrees (WGS 84), and optionally metres above mean sea level (GeoJSON, RFC 7946). */
export const location = z.strictObject({
  type: z.literal('Point'),
  coordinates: z.tuple([between(-180, 180), between(-90, 90), z.optional(between(-500, 9000))]),
});
export type Location = z.output<typeof location>;

/** How a drone flies: metres above its take-off point, metres per second, metres, seconds. */
export const flightSettings = z.strictObject({
  height: z.optional(between(1, 500)),
  speed: z.optional(between(0.5, 50)),
  orbitRadius: z.optional(between(1, 1000)),
  holdSeconds: z.optional(z.int().check(z.minimum(0), z.maximum(3600))),
});
export type FlightSettings = z.output<typeof flightSettings>;

/** The part of a request for a job that says where to fly. */
export interface Destination {
  readonly missionId?: string | undefined;
  readonly desiredLocation?: Location | undefined;
  readonly actionOnArrival?: Action | undefined;
  readonly flight?: FlightSettings | undefined;
}

/** The action that a request means: a location alone is hovered at; with a mission, the mission is flown from there. */
export function meantAction({ missionId, desiredLocation, actionOnArrival }: Destination): Action | undefined {
  if (actionOnArrival !== undefined || !desiredLocation) return actionOnArrival;
  return missionId === undefined ? 'HOVER' : 'MISSION';
}

/** What each action needs, and what has no meaning with it. */
const rules: Readonly<
  Record<Action, readonly [path: string, message: string, isBroken: (of: Destination) => boolean][]>
> = {
  HOVER: [
    ['desiredLocation', 'is required for HOVER', ({ desiredLocation }) => !desiredLocation],
    ['missionId', 'is not flown with HOVER', ({ missionId }) => missionId !== undefined],
    ['flight.orbitRadius', 'is for ORBIT', ({ flight }) => flight?.orbitRadius !== undefined],
  ],
  ORBIT: [
    ['desiredLocation', 'is required for ORBIT', ({ desiredLocation }) => !desiredLocation],
    ['missionId', 'is not flown with ORBIT', ({ missionId }) => missionId !== undefined],
  ],
  MISSION: [
    ['missionId', 'is required for MISSION', ({ missionId }) => missionId === undefined],
    ['flight.orbitRadius', 'is for ORBIT', ({ flight }) => flight?.orbitRadius !== undefined],
    ['flight.holdSeconds', 'is for HOVER and ORBIT', ({ flight }) => flight?.holdSeconds !== undefined],
  ],
};

/**
 * Checks that a destination lacks nothing, and says nothing that would have no effect: on a drone job nothing may vanish.
 * @throws Refusal `invalid_request`
 */
export function expectDestination(destination: Destination): void {
  const refusal = whyNotFlown(destination);
  if (refusal) throw refusal;
}

/** Why a destination is refused; undefined when it is complete. */
export function whyNotFlown(destination: Destination): Refusal | undefined {
  const { desiredLocation, flight, missionId } = destination;
  const action = meantAction(destination);
  const [longitude, latitude, altitude] = desiredLocation?.coordinates ?? [];
  // The zero value of a client's coordinates, in the Gulf of Guinea.
  if (longitude === 0 && latitude === 0) return invalid('desiredLocation.coordinates', 'must not be 0, 0');
  if (altitude !== undefined && flight?.height !== undefined)
    return invalid('flight.height', 'contradicts the altitude of desiredLocation; give one of the two');
  if (!action)
    return flight && missionId === undefined ? invalid('flight', 'needs a desiredLocation or a missionId') : undefined;
  const broken = rules[action].find(([, , isBroken]) => isBroken(destination));
  return broken && invalid(broken[0], broken[1]);
}
