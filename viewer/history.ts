/** What is known at one moment; `null` where a sample said nothing. */
export interface Point {
  /** Unix seconds. */
  readonly at: number;
  readonly altitude: number | null;
  readonly speed: number | null;
}

/** Columns as the charts take them: moments and values, oldest first. */
export interface History {
  add(point: Point): void;
  readonly at: readonly number[];
  readonly altitude: readonly (number | null)[];
  readonly speed: readonly (number | null)[];
}

/** Seconds of flight that are kept and shown. */
export const HISTORY_SECONDS = 300;
/** After as long without a sample, in seconds, the line is broken instead of drawn through what nobody saw. */
const GAP_SECONDS = 10;

/** Keeps the last five minutes, so that an open page needs no more memory after a day than after an hour. */
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
