import { mediaTypeOf, type MissionMediaType } from '../../domain/mission-record';
import { invalid } from '../../domain/refusal';
import type { MissionFile } from './mission-file';
import { readGeoJson } from './read-geo-json';
import { readKml } from './read-kml';
import { readPlan } from './read-plan';
import { readWpml } from './read-wpml';

export const MAX_MISSION_BYTES = 4 * 1024 * 1024;

const readers: Readonly<Record<MissionMediaType, (content: Buffer) => MissionFile | Promise<MissionFile>>> = {
  [mediaTypeOf.GEOJSON]: readGeoJson,
  [mediaTypeOf.KML]: readKml,
  [mediaTypeOf.WPML]: readWpml,
  [mediaTypeOf.QGC_PLAN]: readPlan,
};

/**
 * Reads a mission file.
 * @throws Refusal `invalid_request` whose details name a path in JSON, a line as in `line 14`, a waypoint as in `waypoints.3`,
 *   counted from 0, or nothing when it is the file as a whole
 */
export async function readMission(content: Buffer, mediaType: MissionMediaType): Promise<MissionFile> {
  if (content.length > MAX_MISSION_BYTES)
    throw invalid('', `the file must not be larger than ${MAX_MISSION_BYTES} bytes`);
  return readers[mediaType](content);
}
