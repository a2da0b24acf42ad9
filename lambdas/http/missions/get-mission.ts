import * as endpoints from '../../../contract/endpoints/missions';
import { notAcceptable } from '../../../contract/refusals';
import { readOriginal } from '../../../data/missions/mission-files';
import { readLine } from '../../../data/missions/mission-lines';
import { findMission } from '../../../data/missions/missions';
import { mediaTypeOf, type MissionFormat } from '../../../domain/mission-record';
import { missionGeoJson } from '../../missions/write-geo-json';
import { missionKml } from '../../missions/write-kml';
import { negotiate } from '../../serve/negotiate';
import { FileReply } from '../../serve/request';
import { serve } from '../../serve/serve';

const { KML, WPML: KMZ } = mediaTypeOf;

/** How the name of a file of each format ends. */
const endingOf = { GEOJSON: 'geojson', KML: 'kml', WPML: 'kmz', QGC_PLAN: 'plan' } as const satisfies Record<
  MissionFormat,
  string
>;

export const handler = serve(
  'GET /v3/missions/{missionId}',
  endpoints.getMission,
  async ({ caller, path, query, mediaType, firstAccepted }) => {
    const { start: _, ...found } = await findMission(caller.organisation, path.missionId);
    const original = mediaTypeOf[found.format];
    if (query.format === 'original' || mediaType === KMZ) {
      // API Gateway would send a binary file in base64 to a client that does not ask for this type first.
      const isAsked = original === KMZ ? firstAccepted === KMZ : query.format === 'original';
      if (!isAsked) throw notAcceptable(original === KMZ ? [KMZ] : [original, KML]);
      const fileName = `${found.missionId}.${endingOf[found.format]}`;
      return new FileReply(await readOriginal(found), original, original === KMZ, fileName);
    }
    const line = await readLine(found);
    return mediaType === KML ? missionKml(line, { name: found.name ?? found.missionId }) : missionGeoJson(line, found);
  },
  negotiate,
);
