import type { MissionLine } from './mission';
import { measureLength } from './mission-length';
import { formatMediaTypes, missionFormats, type MissionMediaType } from './mission-record';

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
