import type { ShownPlace } from './track-points';

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
