import { formatMediaTypes, type MissionMediaType } from '../../domain/missions/mission-record';
import { invalid } from '../../domain/values/refusal';
import type { MissionFile, ReadMissionFile } from './mission-file';
import { readGeoJson } from './read-geo-json';
import { readKml } from './read-kml';
import { readPlan } from './read-plan';
import { readWpml } from './read-wpml';

export const MAX_MISSION_BYTES = 4 * 1024 * 1024;

const readers: Readonly<Record<MissionMediaType, ReadMissionFile>> = {
  [formatMediaTypes.GEOJSON]: readGeoJson,
  [formatMediaTypes.KML]: readKml,
  [formatMediaTypes.WPML]: readWpml,
  [formatMediaTypes.QGC_PLAN]: readPlan,
};

/**
 * Reads a mission file.
 * @param givenName what the caller calls the mission; the name in the file is not looked at then
 * @throws Refusal `invalid_request` whose details name a path in JSON, a line as in `line 14`, a waypoint as in `waypoints.3`,
 *   counted from 0, or nothing when it is the file as a whole
 */
export async function readMission(
  content: Buffer,
  mediaType: MissionMediaType,
  givenName?: string,
): Promise<MissionFile> {
  if (content.length > MAX_MISSION_BYTES)
    throw invalid('', `the file must not be larger than ${MAX_MISSION_BYTES} bytes`);
  const read = await readers[mediaType](content, givenName !== undefined);
  return givenName === undefined ? read : { ...read, name: givenName };
}
