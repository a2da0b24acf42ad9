import { seededBetween, seededRandom } from './seeded-random';
import type { DockPosition } from './dock-position';
import {
  CRUISE_S,
  DOCK_FAULT_S,
  DOCK_OPENS_S,
  LINK_LOST_S,
  TAKE_OFF_S,
  descentS,
  dockedS,
  touchDownS,
  type MissionPlan,
} from './mission-plan';

export interface Flight {
  readonly seed: string;
  readonly jobId: string;
  readonly dock: DockPosition;
  readonly plan: Pick<MissionPlan, 'failure' | 'laps'>;
}

/** Longitude, latitude and altitude (GeoJSON). */
type Position = [number, number, number];

const METRES_PER_DEGREE = 111_320;
const FULL_TURN = 2 * Math.PI;
const round = (value: number, digits: number) => Number(value.toFixed(digits));
const clamp = (value: number) => Math.min(1, Math.max(0, value));
/** From 0 to 1 with speed and acceleration of 0 at both ends. */
const ease = (u: number) => u ** 3 * (u * (6 * u - 15) + 10);

/** How long a drone takes to reach its cruising speed, and to brake, in seconds. */
const RAMP_S = 15;

/** Laps flown after `s` seconds of `total`: with a constant speed between smooth ramps at both ends. */
function lapsAt(s: number, total: number, laps: number): number {
  if (s > total / 2) return laps - lapsAt(total - s, total, laps);
  const speed = laps / (total - RAMP_S);
  const u = clamp(s / RAMP_S);
  return speed * (RAMP_S * (u ** 3 - u ** 4 / 2) + Math.max(0, s - RAMP_S));
}

/** Angle on the loop: all the way round or, for a flight that turns back, part of the way and back. */
function angleAt({ plan: { failure, laps } }: Flight, t: number): number {
  const total = descentS(laps) - CRUISE_S;
  const u = clamp((t - CRUISE_S) / total);
  const turnsBack = failure === 'low-battery' || failure === 'abort';
  return FULL_TURN * (turnsBack ? 0.4 * laps * ease(1 - Math.abs(2 * u - 1)) : lapsAt(u * total, total, laps));
}

/** Metres east, north and above the dock, on a loop that starts and ends there. */
function offsetAt(flight: Flight, t: number): readonly [east: number, north: number, up: number] {
  const { seed, jobId, plan } = flight;
  const descent = descentS(plan.laps);
  const radius = seededBetween(45, 65, seed, jobId, 'radius');
  const bearing = FULL_TURN * seededRandom(seed, jobId, 'bearing');
  const direction = seededRandom(seed, jobId, 'direction') < 0.5 ? 1 : -1;
  const angle = direction * angleAt(flight, t);
  const ripple = 0.12 * radius * Math.sin(2 * angle);
  const height = seededBetween(30, 45, seed, jobId, 'height');
  const up =
    height *
    (ease(clamp((t - TAKE_OFF_S) / (CRUISE_S - TAKE_OFF_S))) -
      ease(clamp((t - descent) / (touchDownS(plan.laps) - descent))));
  return [
    radius * (Math.cos(bearing + angle) - Math.cos(bearing)) + ripple * Math.cos(bearing),
    radius * (Math.sin(bearing + angle) - Math.sin(bearing)) + ripple * Math.sin(bearing),
    up,
  ];
}

function navigationAt(flight: Flight, t: number) {
  const { longitude, latitude, altitude } = flight.dock;
  const step = 0.05;
  const [east, north, up] = offsetAt(flight, t);
  const [east0, north0, up0] = offsetAt(flight, t - step);
  const [east1, north1, up1] = offsetAt(flight, t + step);
  const [x, y] = [(east1 - east0) / (2 * step), (north1 - north0) / (2 * step)];
  const groundSpeed = Math.hypot(x, y);
  const bearing = FULL_TURN * seededRandom(flight.seed, flight.jobId, 'bearing');
  const heading = groundSpeed > 0.2 ? Math.atan2(x, y) : bearing;
  return {
    position: {
      type: 'Point' as const,
      coordinates: [
        round(longitude + east / (METRES_PER_DEGREE * Math.cos((latitude * Math.PI) / 180)), 7),
        round(latitude + north / METRES_PER_DEGREE, 7),
        round(altitude + up, 2),
      ] satisfies Position,
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

function droneStateAt({ plan: { failure, laps } }: Flight, t: number): string {
  if (failure === 'dock-fault' || t < TAKE_OFF_S || t >= dockedS(laps)) return 'DOCKED';
  if (t >= touchDownS(laps)) return 'LANDED';
  if (t < CRUISE_S) return 'GPS_NORMAL';
  const descent = descentS(laps);
  const turnsAt = failure === 'low-battery' || failure === 'abort' ? (CRUISE_S + descent) / 2 : descent - 8;
  return t >= turnsAt ? 'RETURNING' : 'WAYPOINT';
}

function dockStateAt({ plan: { failure, laps } }: Flight, t: number): string {
  if (t < DOCK_OPENS_S) return 'CLOSED';
  if (failure === 'dock-fault') return t < DOCK_FAULT_S ? 'OPENING' : 'FAULT';
  if (t < TAKE_OFF_S) return 'OPENING';
  if (t < CRUISE_S) return 'OPEN';
  if (t < descentS(laps)) return 'TASK_INPROGRESS';
  if (t < touchDownS(laps)) return 'OPEN';
  return t < dockedS(laps) ? 'CLOSING' : 'CHARGING';
}

/** @param percent of charge; voltage in volts, remaining flight time in seconds */
function battery(percent: number) {
  return {
    percent: round(percent, 1),
    voltage: round(20 + 5.2 * (percent / 100), 2),
    remainingFlightTime: Math.round(percent * 18),
  };
}

/** A lap takes 9 % of the charge; a long mission spends at most three quarters of it. */
function batteryAt({ plan: { failure, laps } }: Flight, t: number) {
  if (failure === 'dock-fault') return battery(100);
  const flown = clamp((t - TAKE_OFF_S) / (touchDownS(laps) - TAKE_OFF_S));
  return battery(100 - flown * (failure === 'low-battery' ? 86 : Math.min(9 * laps, 75)));
}

/**
 * What a device reports `t` seconds into a mission. Pure, so that any number of calls gives the same flight. Speeds are
 * in mission time.
 * @returns undefined while its link is lost
 */
export function flightAt(flight: Flight, t: number) {
  const { failure, laps } = flight.plan;
  if (failure === 'link-loss' && t >= LINK_LOST_S && t < dockedS(laps)) return undefined;
  const isDown = failure === 'dock-fault';
  return {
    droneState: droneStateAt(flight, t),
    dockState: dockStateAt(flight, t),
    navigation: navigationAt(flight, isDown ? 0 : t),
    battery: batteryAt(flight, t),
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
