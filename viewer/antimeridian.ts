/**
 * Longitudes for a map whose worlds lie side by side. There −179.99° is drawn a world's width to the left of 179.99°, its
 * near neighbour is 180.01°. So a continuous line may have longitudes beyond ±180°; they are for drawing only.
 */
import { longitudeBeside } from '../domain/values/longitude';

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
