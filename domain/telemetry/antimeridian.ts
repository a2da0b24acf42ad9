/**
 * Lines across 180° of longitude are cut there (RFC 7946 section 3.1.9): elsewhere they would be drawn around the whole
 * globe.
 */
import { longitudeBeside } from '../values/longitude';
import type { RecordedPoint } from './flight-record';

const ANTIMERIDIAN = 180;

const longitudeOf = ({ coordinates }: RecordedPoint) => coordinates[0];
const withLongitude = (point: RecordedPoint, longitude: number): RecordedPoint => ({
  ...point,
  coordinates: [longitude, point.coordinates[1], point.coordinates[2]],
});

const sideOf = (point: RecordedPoint) => (longitudeOf(point) < 0 ? -1 : 1);
const isOn = (point: RecordedPoint) => Math.abs(longitudeOf(point)) === ANTIMERIDIAN;

/**
 * The line with one longitude, 180 or -180, for each position on the antimeridian: that of the side which the device
 * comes from.
 */
function withSides(line: readonly RecordedPoint[]): RecordedPoint[] {
  const first = line.find((point) => !isOn(point));
  let side = first ? sideOf(first) : 1;
  return line.map((point) => {
    if (isOn(point)) return withLongitude(point, side * ANTIMERIDIAN);
    side = sideOf(point);
    return point;
  });
}

const round = (value: number, digits: number) => Number(value.toFixed(digits));

/** Where a device crossed between two positions, on the side of the first one; nothing else is known of that moment. */
function crossing(from: RecordedPoint, to: RecordedPoint): RecordedPoint {
  const side = sideOf(from);
  const rest = side * ANTIMERIDIAN - longitudeOf(from);
  const part = rest / (longitudeBeside(longitudeOf(to), longitudeOf(from)) - longitudeOf(from));
  const between = (one: number, other: number) => one + (other - one) * part;
  const [, latitude, altitude] = from.coordinates;
  return {
    deviceId: from.deviceId,
    timestamp: new Date(Math.round(between(Date.parse(from.timestamp), Date.parse(to.timestamp)))).toISOString(),
    coordinates: [
      side * ANTIMERIDIAN,
      round(between(latitude, to.coordinates[1]), 6),
      round(between(altitude, to.coordinates[2]), 1),
    ],
  };
}

/**
 * The parts of a line on either side of 180°. Each ends and begins there, with a position that was not recorded: where the line
 * crosses, by its neighbours.
 */
export function cutAtAntimeridian(line: readonly RecordedPoint[]): RecordedPoint[][] {
  const parts: RecordedPoint[][] = [];
  for (const point of withSides(line)) {
    const part = parts.at(-1);
    const before = part?.at(-1);
    if (!part || !before) parts.push([point]);
    else if (Math.abs(longitudeOf(point) - longitudeOf(before)) <= ANTIMERIDIAN) part.push(point);
    else {
      const end = crossing(before, point);
      // A device that was recorded on it has reached it already.
      if (!isOn(before)) part.push(end);
      parts.push([withLongitude(end, -longitudeOf(end)), point]);
    }
  }
  return parts;
}
