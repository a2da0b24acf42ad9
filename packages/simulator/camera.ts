import type { Flight } from './course';
import { placeOf } from './flown';
import type { Place } from './plane';

const degrees = (radians: number) => (radians * 180) / Math.PI;

/**
 * Where the camera of a drone points to by the last command to it: degrees, pitch up from the horizon, heading from true north.
 * @param heading of the drone, in degrees
 * @returns undefined before the first such command
 */
export function cameraAt(flight: Flight, t: number, place: Place, heading: number) {
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
    heading: (degrees(Math.atan2(east, north)) + 360) % 360,
  };
}
