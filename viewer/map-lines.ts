import { longitudeBeside } from '../domain/values/longitude';

/** In degrees. */
export interface ShownPlace {
  readonly latitude: number;
  readonly longitude: number;
  /** Whether no place was known for a while before it. */
  readonly afterGap?: boolean;
}

/** The points that the map draws of a track: fewer than were flown. */
export interface TrackPoints {
  add(place: ShownPlace): void;
  /** Forgets all. */
  clear(): void;
  readonly first: ShownPlace | undefined;
  /** The track between its gaps. */
  lines(): ShownPlace[][];
  /** Both ends of each gap. */
  gaps(): [ShownPlace, ShownPlace][];
}

/** Maximum points of the track, also when all come after gaps; beyond, every other one is left out. */
export const MAX_SHOWN_POINTS = 4000;
/** Least distance between points in metres at first, so that a hovering drone adds none. */
const MIN_DISTANCE_M = 3;
/** The least distance is doubled with each thinning up to so many metres: gaps alone must not make a track stop. */
const MAX_DISTANCE_M = 1000;

/** @param distance between two places in metres */
export function createTrackPoints(distance: (one: ShownPlace, other: ShownPlace) => number): TrackPoints {
  let points: ShownPlace[] = [];
  let minDistance = MIN_DISTANCE_M;

  function halve(): void {
    minDistance = Math.min(minDistance * 2, MAX_DISTANCE_M);
    // A gap stays one without the point at its end.
    points = points
      .map((point, index) => ({ ...point, afterGap: [point, points[index - 1]].some((one) => one?.afterGap) }))
      .filter((_, index) => index % 2 === 0);
  }

  return {
    add(place) {
      const last = points.at(-1);
      if (!last || place.afterGap || distance(last, place) > minDistance) points.push(place);
      if (points.length > MAX_SHOWN_POINTS) halve();
    },
    clear() {
      points = [];
      minDistance = MIN_DISTANCE_M;
    },
    get first() {
      return points[0];
    },
    lines() {
      const lines: ShownPlace[][] = [[]];
      for (const [index, point] of points.entries()) {
        if (index > 0 && point.afterGap) lines.push([]);
        lines.at(-1)?.push(point);
      }
      return lines;
    },
    gaps: () =>
      points.flatMap((point, index): [ShownPlace, ShownPlace][] => {
        const before = points[index - 1];
        return before && point.afterGap ? [[before, point]] : [];
      }),
  };
}

/** Degrees of latitude that a place is away from a line between two others; on the plane, which will do for a route. */
function toLine({ latitude, longitude }: ShownPlace, from: ShownPlace, to: ShownPlace): number {
  const narrow = Math.cos((latitude * Math.PI) / 180);
  const [east, north] = [(to.longitude - from.longitude) * narrow, to.latitude - from.latitude];
  const [x, y] = [(longitude - from.longitude) * narrow, latitude - from.latitude];
  const length = east ** 2 + north ** 2;
  const part = length === 0 ? 0 : Math.min(1, Math.max(0, (x * east + y * north) / length));
  return Math.hypot(x - part * east, y - part * north);
}

/**
 * The index of the point of a route that the drone flies to. It only grows, and by one line after the other: where a
 * route comes back to itself, the drone is still on its earlier part.
 * @param next the index before
 */
export function nextPoint(route: readonly ShownPlace[], next: number, here: ShownPlace): number {
  const [before, goal, after] = [route[next - 1], route[next], route[next + 1]];
  if (!before || !goal || !after || toLine(here, goal, after) >= toLine(here, before, goal)) return next;
  return nextPoint(route, next + 1, here);
}

/**
 * Longitudes for a map whose worlds lie side by side. There −179.99° is drawn a world's width to the left of 179.99°, its
 * near neighbour is 180.01°. So a continuous line may have longitudes beyond ±180°; they are for drawing only.
 */
interface Longitude {
  /** Degrees. */
  readonly longitude: number;
}

/** @returns the place with the longitude nearest to the other one, in degrees; unchanged without another one */
export function placeBeside<P extends Longitude>(place: P, longitude = place.longitude): P {
  const drawn = longitudeBeside(place.longitude, longitude);
  return drawn === place.longitude ? place : { ...place, longitude: drawn };
}

/**
 * Makes a line of places continuous.
 * @param places of a line, in order
 * @param end longitude beside which the line ends, in degrees; without it, its last place keeps its own
 */
export function lineBeside<P extends Longitude>(places: readonly P[], end?: number): P[] {
  let beside = end;
  const line: P[] = [];
  for (const place of [...places].reverse()) {
    const drawn = placeBeside(place, beside);
    beside = drawn.longitude;
    line.push(drawn);
  }
  return line.reverse();
}
