/** Values at one moment; null where the sample has none. */
export interface Point {
  /** Unix seconds. */
  readonly at: number;
  readonly altitude: number | null;
  readonly speed: number | null;
}

/** Columns for the charts, oldest first. */
export interface History {
  add(point: Point): void;
  readonly at: readonly number[];
  readonly altitude: readonly (number | null)[];
  readonly speed: readonly (number | null)[];
}

/** Seconds of flight that are kept and shown. */
export const HISTORY_SECONDS = 300;
/** A longer gap between samples breaks the line, in seconds. */
const GAP_SECONDS = 10;

/** Keeps the last five minutes, so that memory does not grow while the page is open. */
export function createHistory(): History {
  const at: number[] = [];
  const altitude: (number | null)[] = [];
  const speed: (number | null)[] = [];
  const push = (point: Point) => {
    at.push(point.at);
    altitude.push(point.altitude);
    speed.push(point.speed);
  };
  return {
    ...{ at, altitude, speed },
    add(point) {
      const last = at.at(-1);
      if (last !== undefined && point.at <= last) return;
      if (last !== undefined && point.at - last > GAP_SECONDS) push({ at: last + 1, altitude: null, speed: null });
      push(point);
      const old = at.findIndex((moment) => moment >= point.at - HISTORY_SECONDS);
      for (const column of [at, altitude, speed]) column.splice(0, old);
    },
  };
}
