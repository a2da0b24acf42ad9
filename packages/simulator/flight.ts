import { bearingOf, type Flight } from './course';
import { degreesOf, type DockPosition, type Place } from './dock';
import { chargeAt, flownOf, isOutOfReach, placeOf, placeOfFlown, stateOf, stretchAt, type Flown } from './flown';
import { secondAt } from './stretch';

/** Longitude, latitude and altitude (GeoJSON). */
type Position = [number, number, number];

const round = (value: number, digits: number) => Number(value.toFixed(digits));
const degrees = (radians: number) => (radians * 180) / Math.PI;
/** From north, in [0, 360). */
const headingOf = (radians: number) => ((degrees(radians) % 360) + 360) % 360;

/** Seconds over which a speed is measured; and metres per second below which a drone stands. */
const STEP_S = 0.05;
const SLOW = 0.2;

/** Where a drone points to, in radians from north: along its way, also while it stands on it. */
function headingAt({ seed, jobId }: Flight, flown: Flown, t: number): number {
  const stretch = stretchAt(flown, t);
  const s = secondAt(stretch, t);
  const [one, other] = [stretch.way.at(Math.max(0, s - STEP_S)), stretch.way.at(s + STEP_S)];
  const [east, north] = [other[0] - one[0], other[1] - one[1]];
  return Math.hypot(east, north) > SLOW * 2 * STEP_S ? Math.atan2(east, north) : bearingOf(seed, jobId);
}

function navigationAt(flight: Flight, flown: Flown, t: number) {
  const { dock } = flight;
  const [east, north, up] = placeOfFlown(flown, t);
  const [east0, north0, up0] = placeOfFlown(flown, t - STEP_S);
  const [east1, north1, up1] = placeOfFlown(flown, t + STEP_S);
  const groundSpeed = Math.hypot(east1 - east0, north1 - north0) / (2 * STEP_S);
  const [longitude, latitude] = degreesOf(dock, [east, north]);
  return {
    position: {
      type: 'Point' as const,
      coordinates: [round(longitude, 7), round(latitude, 7), round(dock.altitude + up, 2)] satisfies Position,
    },
    orientation: {
      heading: round(headingOf(headingAt(flight, flown, t)), 1) % 360,
      // A drone pitches forward, here by one degree per m/s.
      pitch: round(-groundSpeed, 1),
      roll: 0,
    },
    velocity: { groundSpeed: round(groundSpeed, 2), verticalSpeed: round((up1 - up0) / (2 * STEP_S), 2) },
  };
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

/**
 * What a device reports `t` seconds into a mission. Pure, so that any number of calls gives the same flight. Speeds are
 * in mission time.
 * @returns undefined while its link is lost
 */
export function flightAt(flight: Flight, t: number) {
  const flown = flownOf(flight);
  if (isOutOfReach(flight, flown, t)) return undefined;
  const hasFault = flight.plan.failure === 'dock-fault';
  const navigation = navigationAt(flight, flown, t);
  const camera = cameraAt(flight, t, placeOfFlown(flown, t), navigation.orientation.heading);
  return {
    ...stateOf(flown, t),
    navigation,
    battery: battery(hasFault ? 100 : chargeAt(flight, flown, t)),
    ...(camera && { sensorPayload: { camera: { orientation: camera } } }),
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

/**
 * Where the camera of a drone points to by the last command to it: degrees, pitch up from the horizon, heading from true north.
 * @param heading of the drone, in degrees
 * @returns undefined before the first such command
 */
function cameraAt(flight: Flight, t: number, place: Place, heading: number) {
  const isOfCamera = ['GIMBAL', 'LOOK_AT'];
  const last = flight.commands?.findLast(
    ({ at, order, refused }) => at <= t && refused === undefined && isOfCamera.includes(order.name),
  );
  if (!last) return undefined;
  const { order } = last;
  if (order.name === 'GIMBAL') return { pitch: order.pitch ?? 0, heading: (heading + (order.yaw ?? 0) + 360) % 360 };
  // A place without an altitude is on the ground.
  const to = placeOf(flight, order, [0, 0, 0]);
  const [east, north, up] = [to[0] - place[0], to[1] - place[1], to[2] - place[2]];
  return {
    pitch: degrees(Math.atan2(up, Math.hypot(east, north))),
    heading: headingOf(Math.atan2(east, north)),
  };
}
