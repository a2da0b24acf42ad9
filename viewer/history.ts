import type { ShownPlace } from './map-lines';

/** Values at one moment; null: not known, undefined: not measured at this moment, so that the one before goes on. */
export interface Point {
  /** Unix seconds. */
  readonly at: number;
  /** Metres above sea level. */
  readonly altitude?: number | null | undefined;
  /** Metres per second. */
  readonly speed?: number | null | undefined;
  /** Degrees. */
  readonly place?: { readonly longitude: number; readonly latitude: number } | undefined;
  /** From the server's thinned track, whose points may be far apart without a gap. */
  readonly thinned?: true;
}

/** A point, and whether none, or none with a place, was seen for a while before it. */
interface Kept extends Point {
  readonly afterGap: boolean;
  readonly placeAfterGap: boolean;
}

/** Columns for a chart, oldest first: Unix seconds, metres, metres per second. */
export interface Columns {
  readonly at: readonly number[];
  readonly altitude: readonly (number | null)[];
  readonly speed: readonly (number | null)[];
}

/** Points of a flight, oldest first. */
export interface History {
  /**
   * Adds a point, also one that comes late.
   * @returns whether its place comes after a gap; undefined when it is not the last place: the track is another one
   */
  add(point: Point): boolean | undefined;
  /**
   * Adds points of the same flight where the page has none of its own, and forgets those before it.
   * @param track oldest first @param since begin of the flight in Unix seconds
   */
  fill(track: readonly Point[], since: number): void;
  /** Forgets the flight: another one begins. @param since begin of that flight in Unix seconds */
  clear(since: number): void;
  /** The places of all points. */
  places(): ShownPlace[];
  /** @param seconds length of the time before the last point, all points if undefined */
  columns(seconds?: number): Columns;
}

/** Length of the shorter range of the charts, in seconds; none of its points is thinned. */
export const RECENT_SECONDS = 300;
/** Points closer together become one, in seconds: drones report at most ten times a second. */
const LEAST_STEP_SECONDS = 0.05;
/** A longer time without a sample breaks the lines, in seconds. */
const GAP_SECONDS = 10;
/** What is longer than so many usual steps of a thinned track is a gap: its steps differ by at most a factor of two. */
const GAP_STEPS = 2;
/** The server's points are left out this close to an own one, in seconds. */
const NEAR_SECONDS = 2;
/** Maximum of points before the last five minutes; beyond, they are thinned evenly to half of it. */
const MAX_OLDER = 3000;
/** Maximum of older points that stay, when thinned, because they come after a gap; the others are thinned as well. */
const MAX_OLDER_AFTER_GAP = 750;
/** Maximum of points, however long and often the device reports. */
export const MAX_POINTS = MAX_OLDER + RECENT_SECONDS / LEAST_STEP_SECONDS + 1;

/** What is measured at a point. */
const measured = ({ altitude, speed, place }: Point) => ({
  ...(altitude !== undefined && { altitude }),
  ...(speed !== undefined && { speed }),
  ...(place && { place }),
});

/** Two points as one, with the values of the later one where it has them. */
const joined = (one: Point, later: Point): Point => ({ at: one.at, ...measured(one), ...measured(later) });

/** A value on a line, as long as it goes on without a newer one. */
function createLine() {
  let value: number | null = null;
  let measuredAt = -Infinity;
  return (at: number, next: number | null | undefined): number | null => {
    if (next !== undefined) {
      value = next;
      measuredAt = at;
    }
    return at - measuredAt > GAP_SECONDS ? null : value;
  };
}

/** The step in the middle when they are sorted, in seconds. */
function usualStep(track: readonly Point[]): number {
  const steps = track.slice(1).map(({ at }, index) => at - (track[index]?.at ?? at));
  return steps.sort((one, other) => one - other)[Math.floor((steps.length - 1) / 2)] ?? 0;
}

/** Keeps a whole flight with at most `MAX_POINTS`: all of the last five minutes, fewer of the time before. */
export function createHistory(): History {
  let points: Kept[] = [];
  /** The last point with a place. */
  let lastPlaced: Kept | undefined;
  /** The longest time without a point in the server's track that is no gap, in seconds. */
  let longestStep = GAP_SECONDS;

  function isGap(before: Point | undefined, point: Point): boolean {
    if (!before) return false;
    return point.at - before.at > (before.thinned || point.thinned ? longestStep : GAP_SECONDS);
  }

  /** Takes over all points. What is known of two that were neighbours stays: some between them may have been left out since. */
  function keep(all: readonly (Point | Kept)[]): void {
    const isKept = (point: Point | Kept | undefined): point is Kept => point !== undefined && 'afterGap' in point;
    let last: Point | Kept | undefined;
    let placed: Point | Kept | undefined;
    points = [];
    lastPlaced = undefined;
    for (const point of all) {
      const known = isKept(point) ? point : undefined;
      const afterGap = known && isKept(last) ? known.afterGap : isGap(last, point);
      const placeAfterGap =
        known && isKept(placed) ? known.placeAfterGap : Boolean(point.place) && isGap(placed, point);
      const kept = { ...point, afterGap, placeAfterGap };
      points.push(kept);
      last = point;
      if (!point.place) continue;
      placed = point;
      lastPlaced = kept;
    }
  }

  function thin(): void {
    const recent = (points.at(-1)?.at ?? 0) - RECENT_SECONDS;
    if ((points[MAX_OLDER]?.at ?? Infinity) >= recent) return;
    const older = points.findIndex(({ at }) => at >= recent);
    const step = (recent - (points[0]?.at ?? 0)) / (MAX_OLDER / 2);
    const isAfterGap = (point: Kept) => point.afterGap || point.placeAfterGap;
    const keepsGaps = points.slice(0, older).filter(isAfterGap).length <= MAX_OLDER_AFTER_GAP;
    let last = -Infinity;
    /** The gaps before points that were left out: they are now before the next one. */
    let afterGap = false;
    let placeAfterGap = false;
    /** What was measured at them: the next one has it, unless it was measured then too. */
    let left: Omit<Point, 'at'> = {};
    points = points.flatMap((point, index): Kept[] => {
      afterGap ||= point.afterGap;
      placeAfterGap ||= point.placeAfterGap;
      if (point.afterGap) left = {};
      if (index < older && !(keepsGaps && isAfterGap(point)) && point.at < last + step) {
        left = { ...left, ...measured(point) };
        return [];
      }
      last = point.at;
      const both = { ...point, ...left, ...measured(point) };
      const kept = { ...both, afterGap, placeAfterGap: placeAfterGap && both.place !== undefined };
      afterGap = false;
      if (both.place) placeAfterGap = false;
      left = {};
      return [kept];
    });
  }

  /** Adds a point that comes late. The server's track has what comes later than the last five minutes. */
  function insert(point: Point): boolean | undefined {
    if (point.at < (points.at(-1)?.at ?? 0) - RECENT_SECONDS) return false;
    const isLastPlace = point.place !== undefined && point.at >= (lastPlaced?.at ?? -Infinity);
    const placeAfterGap = isLastPlace && isGap(lastPlaced, point);
    const isNear = ({ at }: Point) => Math.abs(at - point.at) < LEAST_STEP_SECONDS;
    const before: (Point | Kept)[] = points.filter(({ at }) => at <= point.at);
    const after: (Point | Kept)[] = points.slice(before.length);
    const [last, next] = [before.at(-1), after[0]];
    if (last && isNear(last)) before.splice(-1, 1, joined(last, point));
    else if (next && isNear(next)) after.splice(0, 1, joined(point, next));
    else before.push(point);
    keep([...before, ...after]);
    return point.place && !isLastPlace ? undefined : placeAfterGap;
  }

  return {
    places: () => points.flatMap(({ place, placeAfterGap }) => (place ? { ...place, afterGap: placeAfterGap } : [])),
    add(point) {
      const last = points.at(-1);
      if (last && point.at < last.at) return insert(point);
      const placeAfterGap = point.place !== undefined && isGap(lastPlaced, point);
      if (last && point.at < last.at + LEAST_STEP_SECONDS) {
        const both = { ...last, ...measured(point), placeAfterGap: last.placeAfterGap || placeAfterGap };
        points[points.length - 1] = both;
        if (point.place) lastPlaced = both;
        return placeAfterGap;
      }
      const kept = { ...point, afterGap: isGap(last, point), placeAfterGap };
      points.push(kept);
      if (point.place) lastPlaced = kept;
      thin();
      return placeAfterGap;
    },
    fill(track, since) {
      longestStep = Math.max(GAP_SECONDS, GAP_STEPS * usualStep(track));
      const own = points.filter(({ at }) => at >= since);
      let next = 0;
      const missing = track.filter(({ at }) => {
        while ((own[next]?.at ?? Infinity) < at - NEAR_SECONDS) next++;
        return (own[next]?.at ?? Infinity) > at + NEAR_SECONDS;
      });
      keep([...own, ...missing].sort((one, other) => one.at - other.at));
      thin();
    },
    clear: (since) => keep(points.filter(({ at }) => at >= since)),
    columns(seconds = Infinity) {
      const columns = { at: [] as number[], altitude: [] as (number | null)[], speed: [] as (number | null)[] };
      const from = (points.at(-1)?.at ?? 0) - seconds;
      const [altitudeAt, speedAt] = [createLine(), createLine()];
      let last: Point | undefined;
      for (const point of points) {
        const altitude = altitudeAt(point.at, point.altitude);
        const speed = speedAt(point.at, point.speed);
        if (point.at < from) continue;
        const gapAt = point.afterGap && last ? last.at + 1 : undefined;
        for (const one of [
          ...(gapAt === undefined ? [] : [{ at: gapAt, altitude: null, speed: null }]),
          { at: point.at, altitude, speed },
        ]) {
          columns.at.push(one.at);
          columns.altitude.push(one.altitude);
          columns.speed.push(one.speed);
        }
        last = point;
      }
      return columns;
    },
  };
}
