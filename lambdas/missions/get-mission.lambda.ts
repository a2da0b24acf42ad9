import * as endpoints from '../../contract/missions/missions.endpoints';
import { binaryMediaTypes } from '../../contract/terms/binary-media-types';
import { mustAskFirst, notAcceptable } from '../../contract/refusals';
import { readOriginal } from '../../data/missions/mission-files';
import { readMissionLine } from '../../data/missions/mission-lines';
import { findMission } from '../../data/missions/missions';
import type { Organisation } from '../../domain/values/id';
import { formatMediaTypes, type MissionFormat } from '../../domain/missions/mission-record';
import { writeGeoJson, writeKml } from './write-mission';
import { negotiate } from '../serve/negotiate';
import { FileReply } from '../serve/request';
import { serve } from '../serve/serve';

const { KML, WPML: KMZ } = formatMediaTypes;

/** A reply of a function has at most 6 MB (Lambda developer guide, quotas); its headers have less than 4 KB. */
const MAX_TEXT_BYTES = 6 * 1024 * 1024 - 4096;

/** Whether a file can be a reply in text, in which quotation marks and line ends count twice. It is UTF-8 unless it is a KMZ. */
const fitsAsText = (content: Buffer) =>
  2 * content.length <= MAX_TEXT_BYTES || Buffer.byteLength(JSON.stringify(content.toString())) <= MAX_TEXT_BYTES;

/** How the name of a file of each format ends. */
const endingOf = { GEOJSON: 'geojson', KML: 'kml', WPML: 'kmz', QGC_PLAN: 'plan' } as const satisfies Record<
  MissionFormat,
  string
>;

export const handler = serve(
  'GET /v3/missions/{missionId}',
  endpoints.getMission,
  async ({ caller, path, query, mediaType, acceptsBinary }) => {
    const { start: _, flown: __, ...found } = await findMission(caller.organisation, path.missionId);
    if (query.format === 'original' || mediaType === KMZ) {
      const original = formatMediaTypes[found.format];
      if (query.format !== 'original' && original !== KMZ) throw notAcceptable([original, KML]);
      return originalOf(caller.organisation, found, acceptsBinary);
    }
    const line = await readMissionLine(found);
    if (!line) throw new Error('a mission has no line');
    return mediaType === KML ? writeKml(line, { name: found.name ?? found.missionId }) : writeGeoJson(line, found);
  },
  negotiate,
);

type Found = Pick<Awaited<ReturnType<typeof findMission>>, 'missionId' | 'version' | 'format'>;

/**
 * The file of a mission as it was sent. One that is gone was of a version that has been replaced meanwhile: then that
 * of the next one.
 */
async function originalOf(caller: Organisation, found: Found, acceptsBinary: boolean): Promise<FileReply> {
  const original = formatMediaTypes[found.format];
  if (original === KMZ && !acceptsBinary) throw mustAskFirst(KMZ);
  let content;
  try {
    content = await readOriginal(found);
  } catch (error) {
    const latest = await findMission(caller, found.missionId);
    if (latest.version === found.version) throw error;
    return originalOf(caller, latest, acceptsBinary);
  }
  if (!acceptsBinary && !fitsAsText(content)) throw mustAskFirst(binaryMediaTypes.includes(original) ? original : KMZ);
  return new FileReply(content, original, `${found.missionId}.${endingOf[found.format]}`);
}
