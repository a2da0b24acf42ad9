/** Values at one moment; null where the sample has none. */
export interface Point {
  /** Unix seconds. */
  readonly at: number;
  /** Metres above sea level. */
  readonly altitude: number | null;
  /** Metres per second. */
  readonly speed: number | null;
  /** Degrees. */
  readonly place?: { readonly longitude: number; readonly latitude: number } | undefined;
  /** From the server's thinned track, whose points may be far apart without a gap. */
  readonly thinned?: true;
}

/** A point, and whether none was seen for a while before it. */
interface Kept extends Point {
  readonly afterGap?: boolean;
}

/** Columns for a chart, oldest first: Unix seconds, metres, metres per second. */
export interface Columns {
  readonly at: readonly number[];
  readonly altitude: readonly (number | null)[];
  readonly speed: readonly (number | null)[];
}

/** Points of a flight, oldest first. */
export interface History {
  add(point: Point): void;
  /**
   * Adds points of the same flight where the page has none of its own, and forgets those before it.
   * @param track oldest first @param since begin of the flight in Unix seconds
   */
  fill(track: readonly Point[], since: number): void;
  /** Forgets the flight: another one begins. */
  clear(): void;
  readonly points: readonly Point[];
  /** @param seconds length of the time before the last point, all points if undefined */
  columns(seconds?: number): Columns;
}

/** Length of the shorter range of the charts, in seconds; all of its points are kept. */
export const RECENT_SECONDS = 300;
/** A longer gap between samples breaks the line, in seconds. */
const GAP_SECONDS = 10;
/** The server's points are left out this close to an own one, in seconds. */
const NEAR_SECONDS = 2;
/** Maximum of older points; beyond, they are thinned evenly to half of it. */
const MAX_OLDER = 3000;

/** Keeps a whole flight: every point of the last five minutes, fewer of the time before. */
export function createHistory(): History {
  let points: Kept[] = [];

  function thin(): void {
    const recent = (points.at(-1)?.at ?? 0) - RECENT_SECONDS;
    const older = points.findIndex(({ at }) => at >= recent);
    if (older <= MAX_OLDER) return;
    const step = (recent - (points[0]?.at ?? 0)) / (MAX_OLDER / 2);
    let last = -Infinity;
    points = points.filter(({ at, afterGap }, index) => {
      if (index < older && !afterGap && at < last + step) return false;
      last = at;
      return true;
    });
  }

  return {
    get points() {
      return points;
    },
    add(point) {
      const last = points.at(-1)?.at ?? point.at - 1;
      if (point.at <= last) return;
      points.push({ ...point, afterGap: point.at - last > GAP_SECONDS });
      thin();
    },
    fill(track, since) {
      const own = points.filter(({ at }) => at >= since);
      let next = 0;
      const missing = track.filter(({ at }) => {
        while ((own[next]?.at ?? Infinity) < at - NEAR_SECONDS) next++;
        return (own[next]?.at ?? Infinity) > at + NEAR_SECONDS;
      });
      points = [...own, ...missing].sort((one, other) => one.at - other.at);
    },
    clear: () => void (points = []),
    columns(seconds = Infinity) {
      const columns = { at: [] as number[], altitude: [] as (number | null)[], speed: [] as (number | null)[] };
      const from = (points.at(-1)?.at ?? 0) - seconds;
      let last: Point | undefined;
      for (const point of points) {
        if (point.at < from) continue;
        const gapAt = point.afterGap && last && !last.thinned ? last.at + 1 : undefined;
        for (const one of gapAt === undefined ? [point] : [{ at: gapAt, altitude: null, speed: null }, point]) {
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
