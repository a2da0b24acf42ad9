import { formatMediaTypes, missionFormats, type MissionMediaType } from './mission-record';
import { Geodesic } from 'geographiclib-geodesic';
import type { MissionLine } from './mission';

/** What a file says of a mission. */
export interface NewMission {
  readonly name?: string | undefined;
  readonly mediaType: MissionMediaType;
  readonly line: MissionLine;
}

/** The fields of a mission that follow from its file. */
export function newMissionFields({ name, mediaType, line }: NewMission) {
  const format = missionFormats.find((each) => formatMediaTypes[each] === mediaType);
  if (!format) throw new Error(`${mediaType} is no media type of missions`);
  const [[longitude, latitude] = [NaN, NaN]] = line.waypoints;
  return {
    name,
    format,
    heightReference: line.heightReference,
    waypointCount: line.waypoints.length,
    length: Math.round(measureLength(line) * 10) / 10,
    start: [longitude, latitude] as [number, number],
  };
}

/** Metres along a line, by the geodesics of the ellipsoid WGS 84; heights are ignored. */
export const measureLength = ({ waypoints }: MissionLine): number =>
  waypoints.slice(1).reduce((metres, [longitude, latitude], index) => {
    const [fromLongitude, fromLatitude] = waypoints[index] ?? [longitude, latitude];
    const leg = Geodesic.WGS84.Inverse(fromLatitude, fromLongitude, latitude, longitude, Geodesic.DISTANCE);
    return metres + (leg.s12 ?? NaN);
  }, 0);
