import * as z from 'zod/mini';
import { formatMediaTypes, missionRecord } from '../../domain/missions/mission-record';
import { waypoint } from '../../domain/missions/mission';
import { name, ofOneLine, visible } from '../../domain/values/text';
import { nextToken, page, success } from '../terms/page.schemas';

const { KML, WPML: KMZ } = formatMediaTypes;

/** Media types of the files that are taken. */
export const missionMediaTypes = Object.values(formatMediaTypes);

export const fileQuery = z.strictObject({ name: z.optional(name.check(ofOneLine, visible)) });

export const missionsQuery = z.strictObject(page);

/** What a mission is read as; a KMZ only if its original is one. */
export const servedMediaTypes = ['application/geo+json', 'application/json', KML, KMZ] as const;

/** The same by a query parameter. The original may have any of the media types. */
export const missionFileFormats = {
  geojson: 'application/geo+json',
  kml: KML,
  original: 'application/octet-stream',
} as const;

export const missionQuery = z.strictObject({
  format: z.optional(z.enum(Object.keys(missionFileFormats) as (keyof typeof missionFileFormats)[])),
});

export const missionReply = z.object({ success, mission: missionRecord });

export const missionsReply = z.object({ success, missions: z.array(missionRecord), count: z.int(), nextToken });

export const missionGeometry = z.object({ type: z.literal('LineString'), coordinates: z.array(waypoint) });

/** A mission in GeoJSON (RFC 7946). */
export const missionFeature = z.object({
  type: z.literal('Feature'),
  geometry: missionGeometry,
  properties: missionRecord,
});
