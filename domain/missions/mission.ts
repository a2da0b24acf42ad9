/** A mission: the line of waypoints that a drone flies, and what their heights are measured from. */
import * as z from 'zod/mini';
import { invalid } from '../values/refusal';

/**
 * What the heights of a mission are measured from: the take-off point, the ground below, mean sea level, the ellipsoid WGS 84.
 * `JOB`: the mission has none, and each waypoint is flown at the job's `flight.height`.
 */
export const heightReferences = ['TAKE_OFF', 'GROUND', 'SEA_LEVEL', 'ELLIPSOID', 'JOB'] as const;
export type HeightReference = (typeof heightReferences)[number];

/** Degrees (WGS 84), and metres from what the mission's heights are measured from; without a height for `JOB`. */
export type Waypoint = readonly [longitude: number, latitude: number, height?: number];

export interface MissionLine {
  readonly waypoints: readonly Waypoint[];
  readonly heightReference: HeightReference;
}

export const MAX_WAYPOINTS = 5000;

const isWaypoint = (value: unknown): value is Waypoint =>
  Array.isArray(value) && (value.length === 2 || value.length === 3) && value.every(Number.isFinite);

/** The documents describe it by hand: a tuple would be two alternatives, of which generated clients make a class each. */
export const waypoint = z.custom<Waypoint>(isWaypoint);

/** A line as it is stored and published; {@link checkedLine} has checked it. */
export const missionLine: z.ZodMiniType<MissionLine> = z.object({
  waypoints: z.array(waypoint).check(z.minLength(2), z.maxLength(MAX_WAYPOINTS)),
  heightReference: z.enum(heightReferences),
});

/**
 * The heights that each reference allows, in metres. Above the take-off point they may be negative, as in WPML and
 * MAVLink: a drone that starts on a hill flies below it.
 */
const heightLimits: Readonly<Record<Exclude<HeightReference, 'JOB'>, readonly [min: number, max: number]>> = {
  TAKE_OFF: [-500, 500],
  GROUND: [0, 500],
  SEA_LEVEL: [-500, 9000],
  ELLIPSOID: [-500, 9000],
};

/** What a reference is called in a message. */
const heightNames: Readonly<Record<keyof typeof heightLimits, string>> = {
  TAKE_OFF: 'above the take-off point',
  GROUND: 'above the ground',
  SEA_LEVEL: 'above mean sea level',
  ELLIPSOID: 'above the ellipsoid WGS 84',
};

/** Digits that are kept: about 1 cm, and 1 mm. */
const DEGREE_DIGITS = 7;
const HEIGHT_DIGITS = 3;

/** Rounded; a zero has no sign. */
const round = (value: number, digits: number) => Number(value.toFixed(digits)) + 0;

const rounded = ([longitude, latitude, height]: Waypoint): Waypoint => {
  const place = [round(longitude, DEGREE_DIGITS), round(latitude, DEGREE_DIGITS)] as const;
  return height === undefined ? place : [...place, round(height, HEIGHT_DIGITS)];
};

const isWithin = (value: number, min: number, max: number) => value >= min && value <= max;

/** What is wrong with where a waypoint is; undefined when nothing is. */
function placeFault([longitude, latitude]: Waypoint): string | undefined {
  if (!isWithin(longitude, -180, 180)) return `has the longitude ${longitude}: -180 to 180 degrees are allowed`;
  if (!isWithin(latitude, -90, 90)) return `has the latitude ${latitude}: -90 to 90 degrees are allowed`;
  if (Math.abs(latitude) === 90) return 'must not be at a pole, where a longitude means nothing';
  // The zero value of a client's coordinates, in the Gulf of Guinea.
  return longitude === 0 && latitude === 0 ? 'must not be 0, 0' : undefined;
}

/** What is wrong with the height of a waypoint. */
function heightFault([, , height]: Waypoint, reference: HeightReference): string | undefined {
  if (reference === 'JOB') return height === undefined ? undefined : 'has a height, but the reference is JOB';
  if (height === undefined) return `has no height: with ${reference} each waypoint needs one`;
  const [min, max] = heightLimits[reference];
  if (isWithin(height, min, max)) return undefined;
  return `has the height ${height}: ${min} to ${max} metres ${heightNames[reference]} are allowed`;
}

/** What is wrong with the way to a waypoint. */
function legFault([longitude]: Waypoint, before: Waypoint | undefined): string | undefined {
  if (!before || Math.abs(longitude - before[0]) <= 180) return undefined;
  return 'is more than 180 degrees of longitude from the one before: a leg must not cross 180°';
}

/**
 * A line of waypoints as the service keeps it: degrees to 7 decimals, heights to 3.
 * @throws Refusal `invalid_request` that names the first waypoint at fault as `waypoints.3`, counted from 0
 */
export function checkedLine(waypoints: readonly Waypoint[], heightReference: HeightReference): MissionLine {
  if (waypoints.length < 2) throw invalid('waypoints', `must have at least 2 elements, not ${waypoints.length}`);
  if (waypoints.length > MAX_WAYPOINTS) throw tooManyWaypoints();
  const withHeight = waypoints.filter(([, , height]) => height !== undefined).length;
  if (withHeight > 0 && withHeight < waypoints.length)
    throw faultAt(
      waypoints.findIndex(([, , height]) => height === undefined),
      'has no height, others have one: give all or none a height',
    );
  const line = waypoints.map((waypoint, index) => {
    if (!waypoint.every(Number.isFinite)) throw faultAt(index, 'has a number that is not finite');
    return rounded(waypoint);
  });
  for (const [index, waypoint] of line.entries()) {
    const fault = placeFault(waypoint) ?? heightFault(waypoint, heightReference) ?? legFault(waypoint, line[index - 1]);
    if (fault !== undefined) throw faultAt(index, fault);
  }
  return { waypoints: line, heightReference };
}

/** The references with which a height of 0 may be meant. */
const withZero: readonly HeightReference[] = ['TAKE_OFF', 'GROUND'];

/**
 * Checks that a line has heights that somebody has chosen. Many programs write 0 where they have none, and a drone
 * would fly there.
 * @param isReferenceNamed whether the file names its `heightReference`, so that 0 above the ground or the take-off point is meant
 * @throws Refusal `invalid_request` when all heights are 0
 */
export function expectHeights({ waypoints, heightReference }: MissionLine, isReferenceNamed: boolean): void {
  if (isReferenceNamed && withZero.includes(heightReference)) return;
  if (waypoints.every(([, , height]) => height === 0))
    throw invalid(
      'waypoints',
      `all heights are 0: give the waypoints heights; where 0 is meant, say so by heightReference ${withZero.join(' or ')} (GeoJSON, KML)`,
    );
}

const faultAt = (index: number, fault: string) => invalid(`waypoints.${index}`, `waypoint ${index} ${fault}`);

/** An `invalid_request` for a mission that is too long. @param path what holds its waypoints */
export const tooManyWaypoints = (path = 'waypoints') => invalid(path, `must have at most ${MAX_WAYPOINTS} waypoints`);
