import { bearingOf, courseOf, ease, type Course, type Flight } from './course';
import type { DockPosition } from './dock-position';
import { degreesOf } from './plane';
import { DOCK_FAULT_S, DOCK_OPENS_S, LINK_LOST_S, TAKE_OFF_S, timesOf } from './timeline';

/** Longitude, latitude and altitude (GeoJSON). */
type Position = [number, number, number];

const round = (value: number, digits: number) => Number(value.toFixed(digits));
const clamp = (value: number) => Math.min(1, Math.max(0, value));

/** The leg that is flown `t` seconds into a mission, and for how long; before and after the legs the first and the last one. */
function legAt(course: Course, t: number) {
  let s = Math.max(0, t - timesOf(course).cruise);
  const leg = course.legs.find(({ seconds }) => {
    if (s < seconds) return true;
    s -= seconds;
    return false;
  });
  const last = course.legs.at(-1);
  if (!last) throw new Error('a course has no legs');
  return leg ? { leg, s } : { leg: last, s: last.seconds };
}

/** Metres east, north and above the dock. */
export function offsetAt(course: Course, t: number): readonly [east: number, north: number, up: number] {
  const { height, lastHeight, climbS } = course;
  const { cruise, descent } = timesOf(course);
  const { leg, s } = legAt(course, t);
  const [east, north] = leg.at(s);
  const climbed = (from: number) => ease(clamp((t - from) / climbS));
  if (t < cruise) return [east, north, height * climbed(cruise - climbS)];
  if (t >= descent) return [east, north, lastHeight * (1 - climbed(descent))];
  return [east, north, leg.upAt?.(s) ?? height];
}

function navigationAt({ seed, jobId, dock }: Flight, course: Course, t: number) {
  const step = 0.05;
  const [east, north, up] = offsetAt(course, t);
  const [east0, north0, up0] = offsetAt(course, t - step);
  const [east1, north1, up1] = offsetAt(course, t + step);
  const [x, y] = [(east1 - east0) / (2 * step), (north1 - north0) / (2 * step)];
  const groundSpeed = Math.hypot(x, y);
  const heading = groundSpeed > 0.2 ? Math.atan2(x, y) : bearingOf(seed, jobId);
  const [longitude, latitude] = degreesOf(dock, [east, north]);
  return {
    position: {
      type: 'Point' as const,
      coordinates: [round(longitude, 7), round(latitude, 7), round(dock.altitude + up, 2)] satisfies Position,
    },
    orientation: {
      heading: round(((((heading * 180) / Math.PI) % 360) + 360) % 360, 1) % 360,
      // A drone pitches forward, here by one degree per m/s.
      pitch: round(-groundSpeed, 1),
      roll: 0,
    },
    velocity: { groundSpeed: round(groundSpeed, 2), verticalSpeed: round((up1 - up0) / (2 * step), 2) },
  };
}

function droneStateAt({ plan }: Flight, course: Course, t: number): string {
  const { cruise, descent, touchDown, docked } = timesOf(course);
  if (plan.failure === 'dock-fault' || t < TAKE_OFF_S || t >= docked) return 'DOCKED';
  if (t >= touchDown) return 'LANDED';
  if (t < cruise) return 'GPS_NORMAL';
  return t >= descent ? 'RETURNING' : legAt(course, t).leg.droneState;
}

function dockStateAt({ plan }: Flight, course: Course, t: number): string {
  const { cruise, descent, touchDown, docked } = timesOf(course);
  if (t < DOCK_OPENS_S) return 'CLOSED';
  if (plan.failure === 'dock-fault') return t < DOCK_FAULT_S ? 'OPENING' : 'FAULT';
  if (t < TAKE_OFF_S) return 'OPENING';
  if (t < cruise) return 'OPEN';
  if (t < descent) return 'TASK_INPROGRESS';
  if (t < touchDown) return 'OPEN';
  return t < docked ? 'CLOSING' : 'CHARGING';
}

/** @param charge in percent, empty below 0; voltage in volts, remaining flight time in seconds */
function battery(charge: number) {
  const percent = Math.max(0, charge);
  return {
    percent: round(percent, 1),
    voltage: round(20 + 5.2 * (percent / 100), 2),
    remainingFlightTime: Math.round(percent * 18),
  };
}

function batteryAt({ plan }: Flight, course: Course, t: number) {
  if (plan.failure === 'dock-fault') return battery(100);
  const flown = clamp((t - TAKE_OFF_S) / (timesOf(course).touchDown - TAKE_OFF_S));
  return battery(100 - flown * course.charge);
}

/**
 * What a device reports `t` seconds into a mission. Pure, so that any number of calls gives the same flight. Speeds are
 * in mission time.
 * @returns undefined while its link is lost
 */
export function flightAt(flight: Flight, t: number) {
  const { failure } = flight.plan;
  const course = courseOf(flight);
  if (failure === 'link-loss' && t >= LINK_LOST_S && t < timesOf(course).docked) return undefined;
  const isDown = failure === 'dock-fault';
  return {
    droneState: droneStateAt(flight, course, t),
    dockState: dockStateAt(flight, course, t),
    navigation: navigationAt(flight, course, isDown ? 0 : t),
    battery: batteryAt(flight, course, t),
    simulated: true as const,
  };
}

/** What an idle device reports. */
export const atRest = ({ longitude, latitude, altitude }: DockPosition) => ({
  droneState: 'DOCKED',
  dockState: 'CHARGING',
  navigation: {
    position: {
      type: 'Point' as const,
      coordinates: [round(longitude, 7), round(latitude, 7), round(altitude, 2)] satisfies Position,
    },
    velocity: { groundSpeed: 0, verticalSpeed: 0 },
  },
  battery: battery(100),
  simulated: true as const,
});
