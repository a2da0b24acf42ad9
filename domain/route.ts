/** The way that a flight is planned to take, for a map. */
import * as z from 'zod/mini';
import type { Action, Location } from './destination';
import { thinOut } from './flight';
import { isFlown, type JobStatus } from './job-lifecycle';

/** Longitude and latitude in degrees. */
export const routePoint = z.tuple([z.number(), z.number()]);
export type RoutePoint = z.output<typeof routePoint>;

/** Points of a route at most: a longer one is thinned out. With the track they fit into one frame of a WebSocket. */
export const MAX_ROUTE_POINTS = 100;

const round = (degrees: number) => Number(degrees.toFixed(6));

/** The route through points, to about 10 cm and with both ends. @param points longitude, latitude, and whatever follows */
export const routeOf = (
  points: readonly (readonly [longitude: number, latitude: number, ...rest: unknown[]])[],
): RoutePoint[] =>
  thinOut(points, MAX_ROUTE_POINTS).map(([longitude, latitude]) => [round(longitude), round(latitude)]);

/** What of a job says where it is flown to. */
interface PlacedJob {
  readonly status: JobStatus;
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

/**
 * Where a device flies to for a job.
 * @param start where the flight began: longitude, latitude; undefined while that is not known
 * @returns nothing of a job that has no place, or that this device does not fly now; no route of a mission, whose way is not known
 */
export function flownWay(
  job: PlacedJob | undefined,
  deviceId: string,
  start: readonly [longitude: number, latitude: number, ...rest: unknown[]] | undefined,
): { readonly place?: FlownPlace; readonly route?: RoutePoint[] } {
  if (!job?.desiredLocation || !isFlown(job.status) || (job.deviceId ?? deviceId) !== deviceId) return {};
  const { desiredLocation, actionOnArrival = 'HOVER' } = job;
  const [longitude, latitude] = desiredLocation.coordinates;
  const place = { coordinates: [round(longitude), round(latitude)] satisfies RoutePoint, actionOnArrival };
  if (!start || actionOnArrival === 'MISSION') return { place };
  return { place, route: routeOf([start, [longitude, latitude]]) };
}
