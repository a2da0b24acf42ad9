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
