/** The way that a flight is planned to take, for a map. */
import * as z from 'zod/mini';
import type { Action, Location } from '../values/destination';
import { thinOut } from '../telemetry/flight';
import { isFlown, type JobStatus } from '../jobs/job-lifecycle';

/** Longitude and latitude in degrees. */
export const routePoint = z.tuple([z.number(), z.number()]);
export type RoutePoint = z.output<typeof routePoint>;

/** Points of a route at most: a longer one is thinned out. With the track they fit into one frame of a WebSocket. */
export const MAX_ROUTE_POINTS = 100;

const round = (degrees: number) => Number(degrees.toFixed(6));

/** The route through points, to about 10 cm and with both ends. @param points longitude, latitude, and whatever follows */
export const simplifyRoute = (
  points: readonly (readonly [longitude: number, latitude: number, ...rest: unknown[]])[],
): RoutePoint[] =>
  thinOut(points, MAX_ROUTE_POINTS).map(([longitude, latitude]) => [round(longitude), round(latitude)]);

/** What of a job says where it is flown to. */
interface PlacedJob {
  readonly status: JobStatus;
  readonly missionId?: string | undefined;
  /** Of a mission of this service. */
  readonly missionVersion?: number | undefined;
  /** The only device that may fly it; undefined: each of its group may. */
  readonly deviceId?: string | undefined;
  readonly desiredLocation?: Location | undefined;
  readonly actionOnArrival?: Action | undefined;
}

/** The place that a device flies to, and what it does there. */
export interface FlownPlace {
  readonly coordinates: RoutePoint;
  readonly actionOnArrival: Action;
}

type Point = readonly [longitude: number, latitude: number, ...rest: unknown[]];

/** Whether a device flies a job now. */
const isFlownBy = (job: PlacedJob, deviceId: string): boolean =>
  isFlown(job.status) && (job.deviceId ?? deviceId) === deviceId;

/** The mission of this service that a device flies now for a job. */
export function flownMission(job: PlacedJob | undefined, deviceId: string) {
  const { missionId, missionVersion: version } = job ?? {};
  return job && isFlownBy(job, deviceId) && missionId !== undefined && version !== undefined
    ? { missionId, version }
    : undefined;
}

/**
 * Where a device flies to for a job: its place, or of a mission alone the last waypoint.
 * @param start where the flight began; undefined while that is not known
 * @param waypoints of the mission, if it is one of this service
 * @returns nothing of a job that has no place, or that this device does not fly now; no route of a mission that only
 * the operator knows
 */
export function flownWay(
  job: PlacedJob | undefined,
  deviceId: string,
  start: Point | undefined,
  waypoints: readonly Point[] = [],
): { readonly place?: FlownPlace; readonly route?: RoutePoint[] } {
  if (!job || !isFlownBy(job, deviceId)) return {};
  const { desiredLocation, actionOnArrival = 'HOVER' } = job;
  const to = desiredLocation?.coordinates ?? waypoints.at(-1);
  if (!to) return {};
  const place = { coordinates: [round(to[0]), round(to[1])] satisfies RoutePoint, actionOnArrival };
  const isKnown = actionOnArrival !== 'MISSION' || waypoints.length > 0;
  if (!start || !isKnown) return { place };
  return { place, route: simplifyRoute([start, ...(desiredLocation ? [to] : []), ...waypoints]) };
}
