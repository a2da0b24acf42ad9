import * as z from 'zod/mini';
import type { Destination } from '../values/destination';
import { organisationOf, type Organisation } from '../values/id';
import { heightReferences } from './mission';
import { foreign, invalid, Refusal } from '../values/refusal';

/** The formats of files, with the media type of each. WPML is that of DJI, in a KMZ. */
export const formatMediaTypes = {
  GEOJSON: 'application/geo+json',
  KML: 'application/vnd.google-earth.kml+xml',
  WPML: 'application/vnd.google-earth.kmz',
  QGC_PLAN: 'application/json',
} as const;
export type MissionFormat = keyof typeof formatMediaTypes;
export type MissionMediaType = (typeof formatMediaTypes)[MissionFormat];
export const missionFormats = Object.keys(formatMediaTypes) as MissionFormat[];

/** A mission without its line. `version` grows with every file that replaces it. */
export const missionRecord = z.object({
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
export type Mission = z.output<typeof missionRecord>;

/** A mission with what is no part of it for partners. */
export const storedMission = z.object({
  ...missionRecord.shape,
  /** Where it begins, which ranks the devices of a dispatch. */
  start: z.tuple([z.number(), z.number()]),
  /**
   * Until when a version is kept for jobs, Unix seconds. Of another one than the mission's it says nothing, and
   * versions of before have none: nobody knows which jobs fly them, so they stay.
   */
  flown: z.optional(z.object({ version: z.int(), until: z.int() })),
});
export type StoredMission = z.output<typeof storedMission>;

/** The organisation of a mission of this service; undefined for any other text, which only the operator knows. */
export const ownerOfMission = (missionId: string): Organisation | undefined => organisationOf('mission', missionId);

const DAY_S = 86_400;
/** How long a version is kept that nobody needs any more, in seconds: as long as the track of a job, 90 days. */
const KEPT_S = 90 * DAY_S;
const secondsOf = (time: string) => Math.ceil(Date.parse(time) / 1000);

/**
 * Until when the version that a job flies is kept at least, Unix seconds: it may wait for the time that it is scheduled
 * at. Of whole days, so that the jobs of a day note it once.
 * @param now ISO 8601
 */
export const keptForJob = ({ scheduledAt = '' }: { readonly scheduledAt?: string | undefined }, now: string): number =>
  Math.ceil((secondsOf(scheduledAt > now ? scheduledAt : now) + KEPT_S) / DAY_S) * DAY_S;

/** Until when a mission's version is kept for jobs, Unix seconds; undefined when nobody knows. */
export const flownUntil = ({ version, flown }: Pick<StoredMission, 'version' | 'flown'>): number | undefined =>
  flown?.version === version ? flown.until : undefined;

/**
 * Until when a version is kept that was replaced, or deleted with its mission; Unix seconds.
 * @param until until when it is kept for jobs
 * @param now ISO 8601
 */
export const keptAfterEnd = (until: number, now: string): number => Math.max(until, secondsOf(now) + KEPT_S);

/**
 * Checks a mission that a job names.
 * @param found undefined when it does not exist
 * @throws Refusal `mission_not_found`, `forbidden` when it is another organisation's, `invalid_request` for a
 *   `flight.height` that contradicts the heights of the mission
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
