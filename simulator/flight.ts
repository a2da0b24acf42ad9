import { between, chance } from './chance';
import type { Home } from './home';
import { CRUISE, DESCENT, DOCKED, DOCK_FAULT, DOCK_OPENS, LINK_LOST, TAKE_OFF, TOUCH_DOWN, type Failure } from './plan';

export interface Flight {
  readonly seed: string;
  readonly jobId: string;
  readonly home: Home;
  readonly failure: Failure | undefined;
}

const METRES_PER_DEGREE = 111_320;
const FULL = 2 * Math.PI;
const round = (value: number, digits: number) => Number(value.toFixed(digits));
const clamp = (value: number) => Math.min(1, Math.max(0, value));
/** From 0 to 1 with speed and acceleration of 0 at both ends. */
const ease = (u: number) => u ** 3 * (u * (6 * u - 15) + 10);

/** How far round its loop it is: all the way, or, when it has to turn back, half the way and back again. */
function angleAt(flight: Flight, t: number): number {
  const u = clamp((t - CRUISE) / (DESCENT - CRUISE));
  const turnsBack = flight.failure === 'low-battery' || flight.failure === 'abort';
  return turnsBack ? FULL * 0.4 * ease(1 - Math.abs(2 * u - 1)) : FULL * ease(u);
}

/** Metres east, north and above the dock: a loop that begins and ends there. */
function offsetAt(flight: Flight, t: number): readonly [east: number, north: number, up: number] {
  const { seed, jobId } = flight;
  const radius = between(45, 65, seed, jobId, 'radius');
  const bearing = FULL * chance(seed, jobId, 'bearing');
  const direction = chance(seed, jobId, 'direction') < 0.5 ? 1 : -1;
  const angle = direction * angleAt(flight, t);
  const ripple = 0.12 * radius * Math.sin(2 * angle);
  const height = between(30, 45, seed, jobId, 'height');
  const up =
    height * (ease(clamp((t - TAKE_OFF) / (CRUISE - TAKE_OFF))) - ease(clamp((t - DESCENT) / (TOUCH_DOWN - DESCENT))));
  return [
    radius * (Math.cos(bearing + angle) - Math.cos(bearing)) + ripple * Math.cos(bearing),
    radius * (Math.sin(bearing + angle) - Math.sin(bearing)) + ripple * Math.sin(bearing),
    up,
  ];
}

function navigationAt(flight: Flight, t: number) {
  const { longitude, latitude, altitude } = flight.home;
  const step = 0.05;
  const [east, north, up] = offsetAt(flight, t);
  const [east0, north0, up0] = offsetAt(flight, t - step);
  const [east1, north1, up1] = offsetAt(flight, t + step);
  const [x, y] = [(east1 - east0) / (2 * step), (north1 - north0) / (2 * step)];
  const groundSpeed = Math.hypot(x, y);
  const bearing = FULL * chance(flight.seed, flight.jobId, 'bearing');
  const heading = groundSpeed > 0.2 ? Math.atan2(x, y) : bearing;
  return {
    position: {
      type: 'Point' as const,
      coordinates: [
        round(longitude + east / (METRES_PER_DEGREE * Math.cos((latitude * Math.PI) / 180)), 7),
        round(latitude + north / METRES_PER_DEGREE, 7),
        round(altitude + up, 2),
      ],
    },
    orientation: {
      heading: round(((((heading * 180) / Math.PI) % 360) + 360) % 360, 1) % 360,
      // It leans into its way, a degree for each metre a second.
      pitch: round(-groundSpeed, 1),
      roll: 0,
    },
    velocity: { groundSpeed: round(groundSpeed, 2), verticalSpeed: round((up1 - up0) / (2 * step), 2) },
  };
}

function droneStateAt({ failure }: Flight, t: number): string {
  if (failure === 'dock-fault' || t < TAKE_OFF || t >= DOCKED) return 'DOCKED';
  if (t >= TOUCH_DOWN) return 'LANDED';
  if (t < CRUISE) return 'GPS_NORMAL';
  const turnsAt = failure === 'low-battery' || failure === 'abort' ? (CRUISE + DESCENT) / 2 : DESCENT - 8;
  return t >= turnsAt ? 'RETURNING' : 'WAYPOINT';
}

function dockStateAt({ failure }: Flight, t: number): string {
  if (t < DOCK_OPENS) return 'CLOSED';
  if (failure === 'dock-fault') return t < DOCK_FAULT ? 'OPENING' : 'FAULT';
  if (t < TAKE_OFF) return 'OPENING';
  if (t < CRUISE) return 'OPEN';
  if (t < DESCENT) return 'TASK_INPROGRESS';
  if (t < TOUCH_DOWN) return 'OPEN';
  return t < DOCKED ? 'CLOSING' : 'CHARGING';
}

/** Percent, volts, and seconds of flight that are left. */
function battery(percent: number) {
  return {
    percent: round(percent, 1),
    voltage: round(20 + 5.2 * (percent / 100), 2),
    remainingFlightTime: Math.round(percent * 18),
  };
}

function batteryAt({ failure }: Flight, t: number) {
  if (failure === 'dock-fault') return battery(100);
  const flown = clamp((t - TAKE_OFF) / (TOUCH_DOWN - TAKE_OFF));
  return battery(100 - flown * (failure === 'low-battery' ? 86 : 9));
}

/**
 * What a device reports of itself `t` seconds into a mission: a pure function, so that whoever asks, and however often,
 * sees the same flight. Speeds are those of the mission's own time.
 * @returns undefined when its link is lost
 */
export function flightAt(flight: Flight, t: number) {
  if (flight.failure === 'link-loss' && t >= LINK_LOST && t < DOCKED) return undefined;
  const isDown = flight.failure === 'dock-fault';
  return {
    droneState: droneStateAt(flight, t),
    dockState: dockStateAt(flight, t),
    navigation: navigationAt(flight, isDown ? 0 : t),
    battery: batteryAt(flight, t),
    simulated: true as const,
  };
}

/** What an idle device reports of itself. */
export const atRest = ({ longitude, latitude, altitude }: Home) => ({
  droneState: 'DOCKED',
  dockState: 'CHARGING',
  navigation: {
    position: { type: 'Point' as const, coordinates: [round(longitude, 7), round(latitude, 7), round(altitude, 2)] },
    velocity: { groundSpeed: 0, verticalSpeed: 0 },
  },
  battery: battery(100),
  simulated: true as const,
});
