import { thinOut } from './flight';

/** More than so many seconds without a position break the line of a track: nobody knows where the device was. */
export const MAX_GAP_S = 10;

interface Timed {
  /** ISO 8601. */
  readonly timestamp: string;
}

const isAfterGap = (point: Timed, before: Timed | undefined) =>
  !before || Date.parse(point.timestamp) - Date.parse(before.timestamp) > MAX_GAP_S * 1000;

/** The parts of a track between its gaps, oldest first; a position that stands alone is a part of its own. */
export function splitAtGaps<Point extends Timed>(points: readonly Point[]): Point[][] {
  const lines: Point[][] = [];
  for (const [index, point] of points.entries()) {
    if (isAfterGap(point, points[index - 1])) lines.push([point]);
    else lines.at(-1)?.push(point);
  }
  return lines;
}

const sum = (numbers: readonly number[]) => numbers.reduce((one, other) => one + other, 0);

/**
 * At most `max` positions of some lines, evenly chosen, with both ends of each line; of more than `max` / 2 lines at most that
 * many, evenly chosen too.
 */
export function thinOutLines<Point>(lines: readonly (readonly Point[])[], max: number): readonly (readonly Point[])[] {
  const total = sum(lines.map(({ length }) => length));
  if (total <= max) return lines;
  const kept = thinOut(lines, Math.floor(max / 2));
  const ends = kept.map(({ length }) => Math.min(length, 2));
  const room = max - sum(ends);
  const between = sum(kept.map(({ length }) => length)) - sum(ends);
  // Fewer lines may have room for all of their positions.
  if (between <= room) return kept;
  return kept.map((line, index) => {
    const own = ends[index] ?? 0;
    return thinOut(line, own + Math.floor(((line.length - own) * room) / between));
  });
}
