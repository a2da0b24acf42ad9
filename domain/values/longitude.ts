/**
 * The same meridian as the number of degrees that is nearest to another longitude: near 179.99° it is 180.01° instead
 * of −179.99°, so a difference of two longitudes is the short way around.
 */
export const longitudeBeside = (longitude: number, other: number): number =>
  longitude + 360 * Math.round((other - longitude) / 360);
