import type { FlightSettings } from '../../domain/values/destination';
import { offsetOf, type DockPosition, type Offset } from './dock';
import type { MissionPlan } from './mission-plan';
import { flownAt, mostIn, RAMP_S, straight, along, pointsOf, type Leg, type Point } from './leg';
import type { Taken } from './commands';
import { seededBetween, seededRandom } from './seeded-random';

/** Which job is flown from which dock, and what it asks for. */
export interface Flight {
  readonly seed: string;
  readonly jobId: string;
  readonly dock: DockPosition;
  readonly plan: Omit<MissionPlan, 'speed' | 'commands'>;
  /** The commands to its device, in the order in which they were taken; default: none. */
  readonly commands?: readonly Taken[] | undefined;
}

/** The way of a flight. */
export interface Course {
  /** Metres above the dock after the climb and before the descent, each of which takes `climbS` seconds. */
  readonly height: number;
  readonly lastHeight: number;
  /** Of all heights that it is flown at. */
  readonly lowest: number;
  readonly highest: number;
  readonly climbS: number;
  readonly legs: readonly Leg[];
  /** Percent of the charge that the whole flight takes. */
  readonly charge: number;
  /** How the drone flies to a place; undefined for its usual round. */
  readonly planned?: FlightSettings | undefined;
}

const FULL_TURN = 2 * Math.PI;
const HOME: Offset = [0, 0];
/** From 0 to 1 with speed and acceleration of 0 at both ends. */
export const ease = (u: number) => u ** 3 * (u * (6 * u - 15) + 10);

/** Seconds of one lap of the usual round, and how long before its end the drone returns. */
const LAP_S = 42;
const RETURNS_BEFORE_END_S = 8;

/** The usual round: laps that begin and end at a place. @param turns how many turns are flown after `s` seconds */
function round({ seed, jobId }: Flight, [east, north]: Offset, turns: (s: number) => number): Leg['at'] {
  const radius = seededBetween(38, 48, seed, jobId, 'radius');
  const bearing = bearingOf(seed, jobId);
  const direction = seededRandom(seed, jobId, 'direction') < 0.5 ? 1 : -1;
  return (s) => {
    const angle = direction * FULL_TURN * turns(s);
    const ripple = 0.1 * radius * Math.sin(2 * angle);
    return [
      east + radius * (Math.cos(bearing + angle) - Math.cos(bearing)) + ripple * Math.cos(bearing),
      north + radius * (Math.sin(bearing + angle) - Math.sin(bearing)) + ripple * Math.sin(bearing),
    ];
  };
}

/** Where a standing drone points to, in radians from north. */
export const bearingOf = (seed: string, jobId: string): number => FULL_TURN * seededRandom(seed, jobId, 'bearing');

/** Whether a simulated failure lets the drone turn back on its way. */
export const turnsBack = ({ plan: { failure } }: Flight) => failure === 'low-battery' || failure === 'abort';

/** The usual round, from the dock. */
function usualLegs(flight: Flight): Leg[] {
  const { laps } = flight.plan;
  const total = laps * LAP_S;
  const isBack = turnsBack(flight);
  const turns = (s: number) =>
    isBack ? 0.4 * laps * ease(1 - Math.abs((2 * s) / total - 1)) : flownAt(s, total, laps);
  const at = round(flight, HOME, turns);
  const out = isBack ? total / 2 : total - RETURNS_BEFORE_END_S;
  return [
    { seconds: out, droneState: 'WAYPOINT', at },
    { seconds: total - out, droneState: 'RETURNING', at: (s) => at(out + s) },
  ];
}

/** How a drone flies: all of it is known. */
type Settings = { readonly [Name in keyof FlightSettings]-?: number };

/** What a drone chooses when the job leaves it open: metres, metres per second, metres, seconds. */
const CHOSEN: Settings = { height: 60, speed: 10, orbitRadius: 30, holdSeconds: 60 };

/** How far a drone comes on its way before it turns back. */
const TURNS_BACK_AFTER = 0.4;

/** To the first waypoint, along all of them, and back. */
function legsAlong(flight: Flight, points: readonly Point[], { speed }: Settings): Leg[] {
  const [first, last] = [points[0], points.at(-1)];
  if (!first || !last) throw new Error('a line has no waypoints');
  const there = (to: Offset) => straight(HOME, to, speed, 'WAYPOINT');
  const back = (from: Offset) => straight(from, HOME, speed, 'RETURNING');
  if (turnsBack(flight)) {
    const turn: Offset = [first.at[0] * TURNS_BACK_AFTER, first.at[1] * TURNS_BACK_AFTER];
    return [there(turn), back(turn)];
  }
  return [there(first.at), along(points, speed), { ...back(last.at), upAt: () => last.up }];
}

/** To a place, what is done there, and back. */
function legsTo(flight: Flight, place: Offset, action: string, planned: Settings): Leg[] {
  const { speed, orbitRadius, holdSeconds } = planned;
  const metres = Math.hypot(...place);
  const along = (part: number): Offset => [place[0] * part, place[1] * part];
  const there = (to: Offset) => straight(HOME, to, speed, 'WAYPOINT');
  const back = (from: Offset) => straight(from, HOME, speed, 'RETURNING');
  if (turnsBack(flight)) return [there(along(TURNS_BACK_AFTER)), back(along(TURNS_BACK_AFTER))];
  if (action === 'HOVER')
    return [there(place), { seconds: holdSeconds, droneState: 'HOVER', at: () => place }, back(place)];
  if (action === 'ORBIT') {
    // The circle is entered where it is nearest to the dock.
    const entry = Math.atan2(-place[1], -place[0]);
    const on = (angle: number): Offset => [
      place[0] + orbitRadius * Math.cos(angle),
      place[1] + orbitRadius * Math.sin(angle),
    ];
    const way = Math.min(speed * (holdSeconds - Math.min(RAMP_S, holdSeconds / 2)), mostIn(holdSeconds));
    const at = (s: number) => on(entry - (way === 0 ? 0 : flownAt(s, holdSeconds, way) / orbitRadius));
    const [begin, end] = [on(entry), on(entry - way / orbitRadius)];
    return [there(begin), { seconds: holdSeconds, droneState: 'ORBIT', at }, back(end)];
  }
  const total = flight.plan.laps * LAP_S;
  const at = round(flight, place, (s) => flownAt(s, total, flight.plan.laps));
  return [there(metres === 0 ? HOME : place), { seconds: total, droneState: 'WAYPOINT', at }, back(place)];
}

/** Seconds in the air on a full charge; and the share of it that a flight may take, in percent. */
export const ENDURANCE_S = 1800;
export const MAX_CHARGE = 75;
/** A lap takes 9 % of the charge; a long mission spends at most three quarters of it. */
const CHARGE_OF_LAP = 9;

/** Seconds of a climb, and of a descent: at 4 m/s on average, ten seconds at least. */
const climbOf = (height: number) => Math.max(10, height / 4);

/** The heights of a course at one height. */
const level = (height: number) => ({ height, lastHeight: height, lowest: height, highest: height });

const extremes = (heights: readonly number[]) => ({ lowest: Math.min(...heights), highest: Math.max(...heights) });

/** The way that a drone flies for a job. Pure, so that any number of calls gives the same. */
export function courseOf(flight: Flight): Course {
  const { seed, jobId, dock, plan } = flight;
  const { place, line, failure, laps } = plan;
  if (!place && !line) {
    const charge = failure === 'low-battery' ? 86 : Math.min(CHARGE_OF_LAP * laps, MAX_CHARGE);
    const height = plan.flight?.height ?? seededBetween(30, 45, seed, jobId, 'height');
    return { ...level(height), climbS: climbOf(height), legs: usualLegs(flight), charge };
  }
  const [longitude = 0, latitude = 0, altitude] = place?.location.coordinates ?? [];
  const asked = plan.flight ?? {};
  const chosen: Settings = {
    height: altitude === undefined ? (asked.height ?? CHOSEN.height) : altitude - dock.altitude,
    speed: asked.speed ?? CHOSEN.speed,
    orbitRadius: asked.orbitRadius ?? CHOSEN.orbitRadius,
    holdSeconds: asked.holdSeconds ?? CHOSEN.holdSeconds,
  };
  const before = place ? [{ at: offsetOf(dock, longitude, latitude), up: chosen.height }] : [];
  const points = line ? [...before, ...pointsOf(dock, line, chosen.height)] : [];
  const action = place?.action ?? 'MISSION';
  const legs = line
    ? legsAlong(flight, points, chosen)
    : legsTo(flight, offsetOf(dock, longitude, latitude), action, chosen);
  const height = points[0]?.up ?? chosen.height;
  // A drone that turns back never reaches the height of the last waypoint.
  const lastHeight = turnsBack(flight) ? height : (points.at(-1)?.up ?? height);
  const climbS = climbOf(Math.max(height, lastHeight));
  const inAir = 2 * climbS + legs.reduce((sum, { seconds }) => sum + seconds, 0);
  const charge = failure === 'low-battery' ? 86 : (100 * inAir) / ENDURANCE_S;
  const planned = line && line.heightReference !== 'JOB' ? { speed: chosen.speed } : plannedFor(action, chosen);
  const heights = points.length > 0 ? extremes(points.map(({ up }) => up)) : level(height);
  return { ...heights, height, lastHeight, climbS, legs, charge, planned };
}

/** What of the settings has a meaning for an action. */
function plannedFor(action: string, { height, speed, orbitRadius, holdSeconds }: Settings) {
  if (action === 'HOVER') return { height, speed, holdSeconds };
  return action === 'ORBIT' ? { height, speed, orbitRadius, holdSeconds } : { height, speed };
}
