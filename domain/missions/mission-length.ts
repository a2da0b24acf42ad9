import { Geodesic } from 'geographiclib-geodesic';
import type { MissionLine } from './mission';

/** Metres along a line, by the geodesics of the ellipsoid WGS 84; heights are ignored. */
export const measureLength = ({ waypoints }: MissionLine): number =>
  waypoints.slice(1).reduce((metres, [longitude, latitude], index) => {
    const [fromLongitude, fromLatitude] = waypoints[index] ?? [longitude, latitude];
    const leg = Geodesic.WGS84.Inverse(fromLatitude, fromLongitude, latitude, longitude, Geodesic.DISTANCE);
    return metres + (leg.s12 ?? NaN);
  }, 0);
