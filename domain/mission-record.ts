import * as z from 'zod/mini';
import type { Destination } from './destination';
import { organisationOf, type Organisation } from './id';
import { heightReferences } from './mission';
import { foreign, invalid, Refusal } from './refusal';

/** The formats of files, with the media type of each. WPML is that of DJI, in a KMZ. */
export const mediaTypeOf = {
  GEOJSON: 'application/geo+json',
  KML: 'application/vnd.google-earth.kml+xml',
  WPML: 'application/vnd.google-earth.kmz',
  QGC_PLAN: 'application/json',
} as const;
export type MissionFormat = keyof typeof mediaTypeOf;
export type MissionMediaType = (typeof mediaTypeOf)[MissionFormat];
export const missionFormats = Object.keys(mediaTypeOf) as MissionFormat[];

/** A mission without its line. `version` grows with every file that replaces it. */
export const mission = z.object({
  missionId: z.string(),
  version: z.int(),
  name: z.optional(z.string()),
  /** Of its original file. */
  format: z.enum(missionFormats),
  heightReference: z.enum(heightReferences),
  waypointCount: z.int(),
  /** Metres along the ellipsoid, without heights. */
  length: z.number(),
  createdAt: z.string(),
  updatedAt: z.string(),
});
export type Mission = z.output<typeof mission>;

/** A mission with where it begins, which ranks the devices of a dispatch. */
export const storedMission = z.object({ ...mission.shape, start: z.tuple([z.number(), z.number()]) });
export type StoredMission = z.output<typeof storedMission>;

/** The organisation of a mission of this service; undefined for any other text, which only the operator knows. */
export const ownerOfMission = (missionId: string): Organisation | undefined => organisationOf('mission', missionId);

/**
 * Checks a mission that a job names.
 * @param found undefined when it does not exist
 * @throws Refusal `mission_not_found`, `forbidden` when it is another organisation's, `invalid_request` for a `flight.height` that
 *   contradicts the heights of the mission
 */
export function expectFlyable(
  found: StoredMission | undefined,
  caller: Organisation,
  { missionId = '', flight }: Destination,
): StoredMission {
  if (!found) throw new Refusal('mission_not_found');
  if (ownerOfMission(missionId) !== caller) throw foreign('missionId');
  if (flight?.height !== undefined && found.heightReference !== 'JOB')
    throw invalid('flight.height', 'contradicts the heights of the mission');
  return found;
}
